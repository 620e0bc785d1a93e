"""Keeps what Hudi's own indexes say of a table: the live records of its metadata table, read through Hudi itself."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

KINDS = {3: "column_stats", 6: "partition_stats"}
"""Hudi's numbers of the partitions of its metadata table (MetadataPartitionType) that hold bounds."""

RECORDS = pa.schema(
    [
        ("kind", pa.string()),
        ("of", pa.string()),
        ("column", pa.string()),
        ("lower", pa.string()),
        ("upper", pa.string()),
        ("nulls", pa.int64()),
        ("values", pa.int64()),
        ("tight", pa.bool_()),
    ]
)
"""One row a record. `of` is a file's path below the table, or a partition's. Bounds are JSON texts, as `bound` says."""

BOUND = re.compile(r'\{"member\d+":\{"\w+":(.*)\}\}', re.DOTALL)
UNION_SCALE = 15
"""Digits behind the point in which Hudi's union of bounds holds decimals."""


def indexes(table: Path) -> tuple[str, ...]:
    """The indexes that the table says it has, by `hoodie.table.metadata.partitions`, sorted."""
    lines = (table / ".hoodie" / "hoodie.properties").read_text(encoding="utf-8").splitlines()
    properties = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return tuple(sorted(filter(None, properties.get("hoodie.table.metadata.partitions", "").split(","))))


def keep_index(spark: SparkSession, address: str, stage: Path) -> tuple[str, ...]:
    """The indexes of the table kept as `stage`, which is the table at `address` now.

    Where bounds are among them, these go to `<stage>.index.parquet`.
    """
    there = indexes(stage)
    if set(there) & set(KINDS.values()):
        pq.write_table(records(spark, address, stage), stage.with_name(f"{stage.name}.index.parquet"))
    return there


def records(spark: SparkSession, address: str, table: Path) -> pa.Table:
    """As RECORDS, in the order of kind, of and column."""
    metadata = spark.read.format("hudi").load(f"{address}/.hoodie/metadata")
    deleted = F.coalesce(F.col("ColumnStatsMetadata.isDeleted"), F.lit(False))
    live = metadata.where(F.col("type").isin(*KINDS) & ~deleted)
    stats_type = metadata.schema["ColumnStatsMetadata"].dataType
    assert isinstance(stats_type, StructType)
    before_1 = "isTightBound" not in stats_type.names
    tight = F.lit(None) if before_1 else F.col("ColumnStatsMetadata.isTightBound")
    selected = live.select(
        "type",
        "ColumnStatsMetadata.fileName",
        "ColumnStatsMetadata.columnName",
        F.to_json("ColumnStatsMetadata.minValue").alias("lower"),
        F.to_json("ColumnStatsMetadata.maxValue").alias("upper"),
        "ColumnStatsMetadata.nullCount",
        "ColumnStatsMetadata.valueCount",
        tight.alias("isTightBound"),
    )
    # The key of a record is a hash of its partition, so a file's is found by its name, which no other file has.
    paths = {path.name: path.relative_to(table).as_posix() for path in table.rglob("*") if path.is_file()}
    scales = dict.fromkeys(decimal_scales(table), UNION_SCALE) if before_1 else decimal_scales(table)
    rows = [record(one, paths, scales) for one in selected.collect()]
    rows.sort(key=lambda row: (row["kind"], row["of"], row["column"]))
    return pa.Table.from_pylist(rows, schema=RECORDS)


def record(row: Row, paths: Mapping[str, str], scales: Mapping[str, int]) -> dict[str, object]:
    """One record. A file that is there no more keeps its bare name."""
    kind, name = KINDS[row["type"]], row["fileName"]
    return {
        "kind": kind,
        "of": paths.get(name, name) if kind == "column_stats" else name,
        "column": row["columnName"],
        "lower": bound(row["lower"], scales.get(row["columnName"])),
        "upper": bound(row["upper"], scales.get(row["columnName"])),
        "nulls": row["nullCount"],
        "values": row["valueCount"],
        "tight": row["isTightBound"],
    }


def bound(union: str | None, scale: int | None) -> str | None:
    """The JSON of the one member of Hudi's union that is set, None where none is.

    `scale` is that of a decimal column where the union has its unscaled bytes: from table version 9 on the column's
    own; read with 0.15 the union's.

    Numbers and decimals come as numbers with every digit, text as a string, bytes as base64, days as their number since
    1970, timestamps as their microseconds since then.
    """
    found = BOUND.fullmatch(union or "")
    if not found:
        return None
    value = found[1]
    if scale is None or not value.startswith('"'):
        return value
    return str(Decimal(int.from_bytes(b64decode(json.loads(value)), signed=True)).scaleb(-scale))


def decimal_scales(table: Path) -> dict[str, int]:
    """The scale of each decimal column, by the table's newest base file."""
    newest = max(data_files(table), key=lambda path: path.stat().st_mtime_ns, default=None)
    schema = pq.read_schema(newest) if newest else pa.schema([])
    return {field.name: field.type.scale for field in schema if pa.types.is_decimal(field.type)}


def data_files(table: Path) -> list[Path]:
    return [path for path in table.rglob("*.parquet") if ".hoodie" not in path.relative_to(table).parts]
