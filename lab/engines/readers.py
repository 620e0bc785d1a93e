"""All readers of the suite, by the ids users type. Those that need an engine are declared without its client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from xtable_audit.access.s3 import S3
from xtable_audit.model.subject_id import DELTA, ICEBERG
from xtable_audit.model.subject_id import HUDI as TO_HUDI
from xtable_audit.readers import registry
from xtable_audit.readers.registry import Adapter, Capabilities
from xtable_audit.readers.subprocess_reader import SubprocessReader

FIREBOLT = Adapter(
    "lab.engines.firebolt.reader:FireboltReader",
    "firebolt",
    "firebolt-sdk",
    Capabilities(live=True, planned="count", scanned=True, alone=True),
    also="format versions 1 and 2, no row-level deletes; identity partition values that are in the path "
    "alone read as absent; the engine's cache of files is cleared before each question",
    s3="path-style, one endpoint an engine, key per query",
    needs="needs an engine, see --firebolt",
    engine="firebolt",
)

TRINO = Adapter(
    "lab.engines.trino.reader:TrinoReader",
    "trino",
    "trino",
    Capabilities(
        live=True,
        planned="count",
        scanned=True,
        needs_metadata_folder=True,
        shortcuts=("rows", "rows of a partition", "joined rows", "rows of a day"),
    ),
    also="plans every file for an OR over two columns",
    s3="Trino's own, path-style, one key a catalog",
    needs="needs a server, see --trino",
    engine="trino",
)

SPARK = Adapter(
    "lab.engines.spark.reader:SparkReader",
    "pyspark",
    "pyspark",
    Capabilities(
        live=True,
        planned="names",
        scanned=True,
        shortcuts=("rows", "values", "ends", "rows of a day"),
        shortcuts_turn_off=True,
    ),
    also="refuses a table that has a column of type time",
    s3="Hadoop S3A, path-style, one key a session",
    needs="needs Java 17 and Spark's jars, which are fetched",
    engine="spark",
)
SPARK_DELTA = Adapter(
    "lab.engines.spark.reader:SparkDeltaReader",
    "pyspark",
    "pyspark",
    Capabilities(
        live=True,
        planned="names",
        scanned=True,
        shortcuts=("rows", "ends", "rows of a day", "limited rows"),
        shortcuts_turn_off=True,
    ),
    s3="Hadoop S3A, path-style, one key a session",
    needs="needs Java 17, Spark's jars and Delta's, which are fetched",
    engine="spark_delta",
    formats=(DELTA,),
)
SPARK_HUDI = Adapter(
    "lab.engines.spark.reader:SparkHudiReader",
    "pyspark",
    "pyspark",
    Capabilities(live=True, planned="names", scanned=True),
    also="its Hudi 0.15 finds no file in a folder below a table without partitions; opens one more file for the schema",
    s3="Hadoop S3A, path-style, one key a session",
    needs="needs Java 17 and Spark's jars, which are fetched",
    engine="spark",
    formats=(TO_HUDI,),
)
"""Reads what XTable wrote as Hudi, by the address of an instant, with data skipping."""
SPARK_HUDI_UNSKIPPED = replace(
    SPARK_HUDI,
    factory="lab.engines.spark.reader:SparkHudiUnskippedReader",
    capabilities=replace(SPARK_HUDI.capabilities, skips=False),
)
"""The same without data skipping: rows that only the other one loses are lost by the statistics."""
HUDI = Adapter(
    "lab.engines.spark.reader:HudiReader",
    "pyspark",
    "pyspark",
    Capabilities(live=True, planned="names", scanned=True),
    also="opens one more file for the schema; where it skips by its index it loses rows of LIKE 'p%'",
    s3="Hadoop S3A, path-style, one key a session",
    needs="needs Java 17 and Spark's jars, which are fetched",
    engine="spark",
)
"""Reads the source table, the baseline for a translation. Its location is a base path."""
SKIPPING = "#skipping"
"""Appended to a base path, it makes Hudi's reader skip data by the metadata table's indexes."""
NO_SKIPPING = "#off"
"""Appended to a base path, it makes Hudi's reader list by the metadata table, and skip nothing by its indexes."""

ADAPTERS: Mapping[str, Adapter] = MappingProxyType(
    {
        **registry.ADAPTERS,
        "spark": SPARK,
        "trino": TRINO,
        "firebolt": FIREBOLT,
        "spark_delta": SPARK_DELTA,
        "spark_hudi": SPARK_HUDI,
        "spark_hudi_unskipped": SPARK_HUDI_UNSKIPPED,
    }
)
INSTALL = "pip install -r requirements.txt"
BASELINES: Mapping[str, Adapter] = MappingProxyType({"hudi": HUDI})
"""Readers of the source table."""
READERS: tuple[str, ...] = tuple(ADAPTERS)


def embedded(*formats: str) -> tuple[str, ...]:
    """Readers of tables of these formats that pip installs and that need no engine: the default."""
    return tuple(name for name in readers_of(*formats) if ADAPTERS[name].embedded)


def readers_of(*formats: str) -> tuple[str, ...]:
    """Readers that open tables of one of these formats."""
    return tuple(name for name, adapter in ADAPTERS.items() if {*formats} & {*adapter.formats})


EMBEDDED: tuple[str, ...] = embedded(ICEBERG)
"""The default over Iceberg tables."""


def open_reader(name: str, store: S3, handle: Any = None) -> SubprocessReader:
    """The reader or baseline of that id on `store`, in its own process, which may still be loading.

    `handle` comes from `lab.engines.registry.open_engine`, for a reader that needs an engine. Raises Problem for an
    unknown id or a package that is not installed.
    """
    return registry.start(name, find(name), store, handle, install=INSTALL)


def find(name: str) -> Adapter:
    """The adapter of a reader or a baseline. Raises Problem for an unknown id."""
    return BASELINES.get(name) or registry.find(name, ADAPTERS)
