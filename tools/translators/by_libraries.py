"""Translators that are a library's own: of Iceberg for Delta tables, of PyIceberg for Parquet files, of Paimon."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from py4j.protocol import Py4JJavaError

from lab.provision.sources.paimon import JAVA_LIBRARY
from lab.stack.jars import resolve_jars
from lab.stack.java import find_java
from lab.stack.versions import other_translators, stack
from spark_jobs.battery.folder import live
from tools.translators.translator import MetadataTranslator, NotTranslated, OwnCopy, Translate
from xtable.jvm import Jvm
from xtable_audit.model.malformed import first_line

# Iceberg's action that snapshots a Delta table, of its module `iceberg-delta-lake`, in a JVM without Spark.

VERSIONS = other_translators()
NEEDS = (
    f"org.apache.iceberg:iceberg-delta-lake:{VERSIONS.iceberg}",
    f"org.apache.iceberg:iceberg-parquet:{VERSIONS.iceberg}",
    f"io.delta:delta-standalone_{stack().scala}:{VERSIONS.delta_standalone}",
    f"org.apache.hadoop:hadoop-client:{stack().hadoop}",
)


@contextmanager
def opened_delta_lake(home: Path) -> Iterator[Translate]:
    with Jvm(find_java(stack().java), resolve_jars(NEEDS), home / "console.log") as jvm:
        iceberg = jvm.java.org.apache.iceberg
        hadoop = jvm.java.org.apache.hadoop.conf.Configuration()
        warehouse = f"file:{home / 'catalog'}"
        catalog = iceberg.hadoop.HadoopCatalog(hadoop, warehouse)
        actions = iceberg.delta.DeltaLakeToIcebergMigrationActionsProvider.defaultActions()

        def translate(source: OwnCopy) -> str:
            table = iceberg.catalog.TableIdentifier.parse(f"tables.{source.name}")
            try:
                action = getattr(actions.snapshotDeltaLakeTable(str(source.folder)), "as")(table)
                action = action.icebergCatalog(catalog).deltaLakeConfiguration(hadoop)
                action.tableLocation(f"{warehouse}/tables/{source.name}").execute()
            except Py4JJavaError as error:
                raise NotTranslated(" ".join(str(error.java_exception.toString()).split())) from error
            return str(catalog.loadTable(table).operations().current().metadataFileLocation())

        yield translate


DELTA_LAKE = MetadataTranslator(
    id="iceberg_delta_lake",
    words="`snapshotDeltaLakeTable` of Iceberg",
    version=f"Iceberg {VERSIONS.iceberg}, Delta Standalone {VERSIONS.delta_standalone}",
    takes=("DELTA",),
    needs=NEEDS,
    asked="The action as its documentation has it, into a catalog without a metastore: it replays the whole log.",
    opened=opened_delta_lake,
)


# PyIceberg's `add_files`, over folders of Parquet files.


@contextmanager
def opened_pyiceberg(work: Path) -> Iterator[Translate]:
    from pyiceberg.catalog.sql import SqlCatalog  # late: it brings SQLAlchemy

    with closing(SqlCatalog("add_files", uri="sqlite:///:memory:", warehouse=work.as_uri())) as catalog:
        catalog.create_namespace("tables")

        def translate(source: OwnCopy) -> str:
            files = [source.folder / path for path in live(source.folder)]
            try:
                table = catalog.create_table(f"tables.{source.name}", schema=pq.read_schema(files[0]))
                with redirect_stdout(StringIO()):  # it prints a table of the fields that do not match
                    table.add_files([f"file://{file}" for file in files])  # as_uri would encode
            except Exception as error:  # any exception means that it cannot take the source
                raise NotTranslated(f"{type(error).__name__}: {first_line(error)}") from error
            return str(table.metadata_location)

        yield translate


PYICEBERG = MetadataTranslator(
    id="pyiceberg_add_files",
    words="`add_files` of PyIceberg",
    version=f"PyIceberg {version('pyiceberg')}, pyarrow {version('pyarrow')}",
    takes=("PARQUET",),
    needs=("pyiceberg",),
    asked="A table with the schema of the first file, without partitions; then one call for all files.",
    opened=opened_pyiceberg,
)


# Paimon's own exporter: where `metadata.iceberg.storage` asks for it, each commit writes Iceberg metadata.

EXPORTS = {"metadata.iceberg.storage": "table-location"}
COMMIT = 1
"""The identifier of the commit, which is any."""


@contextmanager
def opened_paimon(home: Path) -> Iterator[Translate]:
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
    version=f"Paimon {VERSIONS.paimon}",
    takes=("PAIMON",),
    needs=JAVA_LIBRARY,
    asked="The option `metadata.iceberg.storage=table-location`, and one commit: an empty one for a table with a "
    "primary key, else all rows by Paimon's Java library in place of pypaimon's files, which have no field ids.",
    opened=opened_paimon,
    folder="tables.db",  # as in a warehouse of Paimon: elsewhere it refuses
)
