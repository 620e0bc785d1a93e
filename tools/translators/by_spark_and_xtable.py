"""Translators over folders of Parquet files and Delta tables that start Spark or XTable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.provision.sources.every_source import with_own_jars
from lab.stack.jars import resolve_jars
from lab.stack.java import find_java
from lab.stack.versions import other_translators, releases, stack
from spark_jobs.battery import session
from spark_jobs.battery.folder import live
from tools.translators.translator import MetadataTranslator, NotTranslated, OwnCopy, Translate
from xtable.sync import Translator
from xtable.sync_report import SyncFailed
from xtable_audit.formats.parquet.state import partition_columns
from xtable_audit.model.malformed import first_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# Iceberg's procedures in Spark, `add_files`, `snapshot` and `migrate`, over folders of Parquet files.

ICEBERG, SESSION, TABLES = "iceberg", "spark_catalog", "tables"
"""Catalogs of the session, and the namespace of every table in them."""
Procedure = Callable[["SparkSession", OwnCopy], str]
"""Translates the source and returns the name of the Iceberg table."""


def runtime(version: str) -> str:
    row = stack()
    return f"org.apache.iceberg:iceberg-spark-runtime-{row.spark.rpartition('.')[0]}_{row.scala}:{version}"


def _settings(home: Path) -> dict[str, str]:
    """Catalogs without a metastore. `migrate` leaves a table where it is, which is where the session's catalog would
    put it: `home/tables/NAME`.
    """
    catalogs = {ICEBERG: ("SparkCatalog", home / "catalog"), SESSION: ("SparkSessionCatalog", home)}
    settings = {"spark.kryo.registrator": ""}  # it is Hudi's
    settings["spark.sql.extensions"] = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
    for name, (kind, warehouse) in catalogs.items():
        settings[f"spark.sql.catalog.{name}"] = f"org.apache.iceberg.spark.{kind}"
        settings[f"spark.sql.catalog.{name}.type"] = "hadoop"
        settings[f"spark.sql.catalog.{name}.warehouse"] = f"file:{warehouse}"
    return settings


@contextmanager
def opened_spark(procedure: Procedure, version: str, home: Path) -> Iterator[Translate]:
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    jars = resolve_jars((runtime(version),))
    with session.opened(jars, find_java(stack().java), "1g", _settings(home)) as spark:
        spark.sql(f"CREATE DATABASE {SESSION}.{TABLES}")

        def translate(source: OwnCopy) -> str:
            try:
                return _location(spark, procedure(spark, source))
            except PySparkException as error:
                raise NotTranslated(first_line(error)) from error
            except Py4JJavaError as error:
                raise NotTranslated(_innermost(error.java_exception)) from error

        yield translate


def _innermost(thrown: Any) -> str:
    while thrown.getCause() is not None:
        thrown = thrown.getCause()
    return str(thrown.toString()).partition("\n")[0]


def _location(spark: SparkSession, table: str) -> str:
    jvm: Any = spark.sparkContext._jvm
    iceberg = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, table)
    return str(iceberg.operations().current().metadataFileLocation())


def _columns(spark: SparkSession, source: OwnCopy) -> str:
    """Those that Spark finds in the files and paths, as in CREATE TABLE."""
    found = spark.read.option("mergeSchema", "true").parquet(f"file:{source.folder}").schema
    return ", ".join(f"`{one.name}` {one.dataType.simpleString()}" for one in found)


def _partitions(source: OwnCopy) -> str:
    names = partition_columns([*live(source.folder)])
    return f"PARTITIONED BY ({', '.join(names)})" if names else ""


def add_files(spark: SparkSession, source: OwnCopy) -> str:
    table = f"{TABLES}.{source.name}"
    columns, partitions = _columns(spark, source), _partitions(source)
    spark.sql(f"CREATE TABLE {ICEBERG}.{table} ({columns}) USING iceberg {partitions}")
    files = f"`parquet`.`file:{source.folder}`"
    spark.sql(f"CALL {ICEBERG}.system.add_files(table => '{table}', source_table => '{files}')").collect()
    return f"{ICEBERG}.{table}"


def _known_to_spark(spark: SparkSession, source: OwnCopy) -> str:
    """The source as a table of the session's catalog, with the partitions that it has."""
    table, partitions = f"{SESSION}.{TABLES}.{source.name}", _partitions(source)
    columns = _columns(spark, source)
    spark.sql(f"CREATE TABLE {table} ({columns}) USING parquet {partitions} LOCATION 'file:{source.folder}'")
    if partitions:
        spark.sql(f"MSCK REPAIR TABLE {table}")
    return table


def snapshot(spark: SparkSession, source: OwnCopy) -> str:
    known, table = _known_to_spark(spark, source), f"{ICEBERG}.{TABLES}.{source.name}"
    spark.sql(f"CALL {ICEBERG}.system.snapshot(source_table => '{known}', table => '{table}')").collect()
    return table


def migrate(spark: SparkSession, source: OwnCopy) -> str:
    known = _known_to_spark(spark, source)
    spark.sql(f"CALL {SESSION}.system.migrate(table => '{known.removeprefix(f'{SESSION}.')}')").collect()
    return known


ASKED: Mapping[Procedure, str] = {
    add_files: "A table with the columns that Spark finds in files and paths, partitioned as the paths are; then "
    "`CALL system.add_files` for the folder.",
    snapshot: "`CALL system.snapshot` of an external Parquet table in Spark's own catalog.",
    migrate: "`CALL system.migrate` of an external Parquet table in Spark's own catalog.",
}


def by_spark(procedure: Procedure, version: str) -> MetadataTranslator:
    name = procedure.__name__
    return MetadataTranslator(
        id=f"spark_{name}_{version.rpartition('.')[0].replace('.', '_')}",
        words=f"Spark's `{name}` of Iceberg",
        version=f"Iceberg {version}, Spark {stack().spark}",
        takes=("PARQUET",),
        needs=(runtime(version),),
        asked=ASKED[procedure],
        opened=partial(opened_spark, procedure, version),
        of_caller=("types_are_those_of_the_files",),
    )


BY_SPARK = (
    *(by_spark(add_files, version) for version in (stack().iceberg, other_translators().iceberg)),
    *(by_spark(one, other_translators().iceberg) for one in (snapshot, migrate)),
)


# XTable, live, over the same folders as the others.

RELEASE = releases()[0]


@contextmanager
def opened_xtable(work: Path) -> Iterator[Translate]:
    """A JVM for each source format, with the class path that an audit of that format has."""
    with ExitStack() as running:
        started: dict[str, Translator] = {}

        def translate(source: OwnCopy) -> str:
            if source.format not in started:
                jars = with_own_jars([source.format])
                translator = Translator.start(RELEASE, None, work / source.format, sources=jars)
                started[source.format] = running.enter_context(translator)
            spec = source.table.partition_spec
            try:
                at = str(source.folder)
                return started[source.format].sync(source.format, at, source.name, spec, "FULL").metadata_location
            except SyncFailed as failed:
                raise NotTranslated(failed.words) from failed

        yield translate


XTABLE = MetadataTranslator(
    id="xtable",
    words="Apache XTable",
    version=f"XTable {RELEASE}",
    takes=("PARQUET", "DELTA", "PAIMON"),
    needs=(f"org.apache.xtable:xtable-core_2.12:{RELEASE}",),
    asked="One full sync of a table that it has not synced before.",
    opened=opened_xtable,
)
