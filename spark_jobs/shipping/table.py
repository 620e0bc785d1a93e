"""The rows as Spark makes them, and the write that turns each of its tasks into one file."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession

from spark_jobs.shipping.layout import GOLDEN, WORD, Layout
from spark_jobs.shipping.states import PREFIXES, zip_range
from spark_jobs.shipping.variant import NAMES, OLD, Indexes

NAME = "shipping_address"
GIGABYTE = 1 << 30

CITIES = ("Springfield", "Franklin", "Greenville", "Bristol", "Clinton", "Fairview", "Salem", "Madison", "Georgetown")
STREETS = ("Main St", "Park Ave", "Oak St", "Maple Dr", "Cedar Ln", "Washington Blvd", "Lake Rd")


def rows(spark: SparkSession, layout: Layout) -> DataFrame:
    """The table's rows, one task a file, without a shuffle and without Python.

    Columns: order_id, state, zip_code, street, city strings, amount double, ts bigint (milliseconds).
    """
    ranges = [zip_range(state) for state in PREFIXES]
    size = layout.rows_per_file
    numbered = spark.range(0, layout.rows, 1, layout.files).selectExpr(
        "id", f"id div {size} AS file", f"cast(id % {size} AS int) AS row"
    )
    # The states whose first file is not behind this one: the last of them is the file's.
    placed = numbered.selectExpr("*", f"size(filter({_array(layout.starts)}, start -> start <= file)) AS place")
    stated = placed.selectExpr(
        "*",
        f"element_at({_array(PREFIXES)}, place) AS state",
        f"(file - element_at({_array(layout.starts)}, place)) * {size} + row AS number",  # in the state
        f"element_at({_array(layout.files_by_state.values())}, place) * {size} - 1 AS last",
        f"element_at({_array(low for low, _ in ranges)}, place) AS low",
        f"element_at({_array(high for _, high in ranges)}, place) AS high",
    )
    return stated.selectExpr(
        "lpad(cast(id AS string), 12, '0') AS order_id",
        "state",
        f"lpad(cast({_zip(layout)} AS string), 5, '0') AS zip_code",
        f"concat(1 + id % 997, ' ', element_at({_array(STREETS)}, 1 + cast(id % {len(STREETS)} AS int))) AS street",
        f"element_at({_array(CITIES)}, 1 + cast(id % {len(CITIES)} AS int)) AS city",
        "cast(5 + id % 20000 / 100 AS double) AS amount",
        "1700000000000 + id AS ts",
    )


def _zip(layout: Layout) -> str:
    """`Layout.zip_of` in Spark's words."""
    if layout.zips == "sorted":
        return "low + number * (high - low) div last"
    between = f"low + 1 + pmod(number * {GOLDEN}, {WORD}) * (high - low - 1) div {WORD}"
    return f"CASE row WHEN 0 THEN low WHEN {layout.rows_per_file - 1} THEN high ELSE {between} END"


def _array(values: Iterable[str | int]) -> str:
    return f"array({', '.join(repr(value) if isinstance(value, str) else f'{value}L' for value in values)})"


def options(indexes: Indexes, table_version: int | None) -> dict[str, str]:
    """The write's options. `table_version` None leaves it to the release."""
    wanted = NAMES[indexes]
    return {
        "hoodie.table.name": NAME,
        "hoodie.datasource.write.table.type": "COPY_ON_WRITE",
        "hoodie.datasource.write.operation": "bulk_insert",
        "hoodie.datasource.write.recordkey.field": "order_id",
        "hoodie.datasource.write.precombine.field": "ts",
        "hoodie.datasource.write.partitionpath.field": "state",
        "hoodie.datasource.write.hive_style_partitioning": "true",
        "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.SimpleKeyGenerator",
        # A file for each of our tasks: no sorting, merging or rolling over of Hudi's own.
        "hoodie.bulkinsert.sort.mode": "NONE",
        "hoodie.parquet.max.file.size": str(8 * GIGABYTE),
        "hoodie.parquet.small.file.limit": "0",
        "hoodie.parquet.compression.codec": "uncompressed",
        # Every base file carries a bloom filter of its keys, 420 KB by default: a hundred times these rows.
        "hoodie.index.bloom.num_entries": "10",
        "hoodie.bloom.index.filter.type": "SIMPLE",
        # One writer and one commit: no server that executors must reach, nothing to clean or archive.
        "hoodie.embed.timeline.server": "false",
        "hoodie.write.markers.type": "DIRECT",
        "hoodie.clean.automatic": "false",
        "hoodie.archive.automatic": "false",
        "hoodie.metadata.enable": "true",
        "hoodie.metadata.index.column.stats.enable": str("column_stats" in wanted).lower(),
        "hoodie.metadata.index.column.stats.column.list": "zip_code",
        "hoodie.metadata.index.partition.stats.enable": str("partition_stats" in wanted).lower(),
        **(_OLD_FORMAT if table_version == OLD else {}),
        **({"hoodie.write.table.version": str(table_version)} if table_version else {}),
    }


# Without it a release of Hudi 1 upgrades the table that it has just begun, and all tables it is given.
_OLD_FORMAT = {"hoodie.write.auto.upgrade": "false"}
