"""Paimon's own exporter: where `metadata.iceberg.storage` asks for it, each commit writes Iceberg metadata."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError

from lab.provision.sources.paimon import JAVA_LIBRARY
from lab.stack.jars import resolve_jars
from lab.stack.java import find_java
from lab.stack.versions import other_translators, stack
from tools.translators.sources import OwnCopy
from tools.translators.translator import MetadataTranslator, NotTranslated, Translate
from xtable.jvm import Jvm

VERSION = other_translators().paimon
EXPORTS = {"metadata.iceberg.storage": "table-location"}
COMMIT = 1
"""The identifier of the commit, which is any."""


@contextmanager
def opened(home: Path) -> Iterator[Translate]:
    with Jvm(find_java(stack().java), resolve_jars(JAVA_LIBRARY), home / "console.log") as jvm:
        paimon = jvm.java.org.apache.paimon
        context = paimon.catalog.CatalogContext.create(paimon.options.Options())

        def translate(source: OwnCopy) -> str:
            path = paimon.fs.Path(str(source.folder))
            try:
                table = paimon.table.FileStoreTableFactory.create(paimon.fs.FileIO.get(path, context), path)
                exporting = table.copy(EXPORTS)
                if table.schema().primaryKeys().isEmpty():
                    _write_anew(paimon, exporting)
                else:
                    _commit_nothing(jvm, exporting)
            except Py4JJavaError as error:
                raise NotTranslated(str(error.java_exception.toString())) from error
            written = source.folder.glob("metadata/v*.metadata.json")
            return str(max(written, key=lambda file: int(file.name.removeprefix("v").partition(".")[0])))

        yield translate


def _write_anew(paimon: Any, table: Any) -> None:
    """Pypaimon's files have no field ids, which those of Paimon's Java library have: the exporter relies on them."""
    read, copies = paimon.table.source.ReadBuilderImpl(table), []
    serializer = paimon.data.serializer.InternalRowSerializer(table.rowType())
    for split in read.newScan().plan().splits():
        rows = paimon.reader.RecordReaderIterator(read.newRead().createReader(split))
        while rows.hasNext():
            copies.append(serializer.copy(rows.next()))
        rows.close()
    overwriting = paimon.table.sink.BatchWriteBuilderImpl(table).withOverwrite()
    writer, committer = overwriting.newWrite(), overwriting.newCommit()
    for row in copies:
        writer.write(row)
    committer.commit(writer.prepareCommit())
    writer.close()
    committer.close()


def _commit_nothing(jvm: Jvm, table: Any) -> None:
    """The compacted files of a table with a primary key, which alone are exported, are by the Java library already."""
    committer = table.newCommit("translators").ignoreEmptyCommit(False)
    committer.commit(COMMIT, jvm.java.java.util.ArrayList())
    committer.close()


PAIMON = MetadataTranslator(
    id="paimon_exporter",
    words="the exporter of Paimon",
    version=f"Paimon {VERSION}",
    takes=("PAIMON",),
    needs=JAVA_LIBRARY,
    asked="The option `metadata.iceberg.storage=table-location`, and one commit: an empty one for a table with a "
    "primary key, else all rows by Paimon's Java library in place of pypaimon's files, which have no field ids.",
    opened=opened,
    folder="tables.db",  # as in a warehouse of Paimon: elsewhere it refuses
)
