"""Hudi tables for its own reader. They may be moved: each has one commit, which names no address."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from lab.engines.spark.open import SparkHome
from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import stack_with_hudi
from lab.store import moto, objects
from spark_jobs import hudi_table, session
from tests.lab.engines.spark_home import spark_home

STATES = ("AK", "AL", "AR", "AZ", "CA", "NY")
FILES = 10
"""In each state, of four rows each."""
OPTIONS = {
    "hoodie.datasource.write.operation": "bulk_insert",
    "hoodie.datasource.write.recordkey.field": "order_id",
    "hoodie.datasource.write.precombine.field": "order_id",
    "hoodie.datasource.write.partitionpath.field": "state",
    "hoodie.datasource.write.hive_style_partitioning": "true",
    "hoodie.bulkinsert.sort.mode": "NONE",
    "hoodie.embed.timeline.server": "false",
    "hoodie.write.markers.type": "DIRECT",
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.index.partition.stats.enable": "true",
    "hoodie.metadata.index.column.stats.column.list": "zip_code",
}
ZIPS = {
    "random": "id % 4 * 1000 + id div 4 % 10",  # each file from the state's first thousand to its fourth
    "sorted": "id % 40 * 100",
}

BY_ZIP = "by_zip"


def home(release: str) -> SparkHome:
    stack = stack_with_hudi(release)
    return SparkHome(find_java(stack.java), resolve_spark_jars(stack))


def write_by_zip(folder: Path, release: str) -> None:
    ours = home(release)
    with session.opened("tests", ours.jars, ours.java_home, None, cores=2, memory="1g") as spark:
        by_zip(spark, folder)


def by_zip(spark: SparkSession, folder: Path) -> None:
    """`random` and `sorted`: 60 files each, ten a state; the zip codes of a state begin with the same digit."""
    files = len(STATES) * FILES
    for table, zips in ZIPS.items():
        state = F.element_at(F.array(*map(F.lit, STATES)), F.expr("int(id div 40 + 1)"))
        zip_code = F.format_string("%05d", F.expr(f"id div 40 * 10000 + {zips}"))
        rows = spark.range(0, 4 * files, 1, files).select(
            F.format_string("%d", "id").alias("order_id"), state.alias("state"), zip_code.alias("zip_code")
        )
        named = {"hoodie.table.name": table}
        rows.write.format("hudi").options(**OPTIONS, **named).mode("overwrite").save(str(folder / table))


def write_by_default(folder: Path, tables: Mapping[str, Mapping[str, str]]) -> None:
    """What the default stack's Hudi writes. By zip, in the folder BY_ZIP; and tables of 200 rows, a file a month, with
    these options of Hudi's, to a store of their own.
    """
    home = spark_home()
    with (
        moto.start() as running,
        session.opened("tests", home.jars, home.java_home, running.store, cores=2, memory="1g") as spark,
    ):
        by_zip(spark, folder / BY_ZIP)
        rows = spark.range(0, 200, 1, 4).select(
            "id",
            F.format_string("2023-%d", F.expr("id div 50 + 1")).alias("month"),
            F.format_string("zone_%03d", "id").alias("zone"),
            F.expr("if(id % 7 = 0, null, id / 4)").alias("distance"),
        )
        for name, extra in tables.items():
            written = hudi_table.options(name, "month") | dict(extra)
            rows.write.format("hudi").options(**written).save(running.store.uri(name))
            objects.download(running.store, name, folder / name)
