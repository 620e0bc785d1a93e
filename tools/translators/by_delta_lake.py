"""Iceberg's action that snapshots a Delta table, of its module `iceberg-delta-lake`, in a JVM without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JJavaError

from lab.stack.jars import resolve_jars
from lab.stack.java import find_java
from lab.stack.versions import other_translators, stack
from tools.translators.sources import OwnCopy
from tools.translators.translator import MetadataTranslator, NotTranslated, Translate
from xtable.jvm import Jvm

VERSIONS = other_translators()
NEEDS = (
    f"org.apache.iceberg:iceberg-delta-lake:{VERSIONS.iceberg}",
    f"org.apache.iceberg:iceberg-parquet:{VERSIONS.iceberg}",
    f"io.delta:delta-standalone_{stack().scala}:{VERSIONS.delta_standalone}",
    f"org.apache.hadoop:hadoop-client:{stack().hadoop}",
)


@contextmanager
def opened(home: Path) -> Iterator[Translate]:
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
    opened=opened,
)
