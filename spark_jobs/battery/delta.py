"""delta_*: tables that Delta writes; XTable takes their statistics from the Delta log."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan

import pyarrow as pa

from spark_jobs.battery.nested import EVERY_TYPE, NOTHING, ORDINARY, STRUCT, struct
from spark_jobs.battery.table import BatteryTable, File, Step, file, sql, write
from spark_jobs.battery.types import DECIMALS, ROUND_DECIMALS
from spark_jobs.battery.values import EMOJI, EPOCH, MICROSECOND, days, moments

NO_VECTORS = {"delta.enableDeletionVectors": "false"}
SCHEMA = {"i": pa.int32(), "s": pa.string()}


def delta(
    name: str,
    description: str,
    schema: Mapping[str, pa.DataType],
    *files: File,
    then: tuple[Step, ...] = (),
    options: Mapping[str, str] | None = None,
    partition_by: tuple[str, ...] = (),
    twin: str = "",
) -> BatteryTable:
    """A table whose first commit appends the files; `then` is what follows."""
    return BatteryTable(
        f"delta_{name}",
        description,
        (write("append", schema, *files), *then),
        format="DELTA",
        partition_by=partition_by,
        options=NO_VECTORS | dict(options or {}),
        twin=twin,
    )


def rows(start: int, count: int = 5) -> File:
    values = range(start, start + count)
    return file(i=values, s=[f"s{value:03d}" for value in values])


def parted(name: str, description: str, type_: pa.DataType, values: list[object], twin: str = "") -> BatteryTable:
    """A file for each value of the partition column `p`."""
    files = [file(p=[value], i=[10 * number]) for number, value in enumerate(values)]
    return delta(name, description, {"p": type_, "i": pa.int32()}, *files, partition_by=("p",), twin=twin)


TWO_ROWS = "SELECT * FROM VALUES ('k10', 10, 's010'), ('k11', 11, 's011') AS rows (record_key, i, s)"


def shallow_clone(name: str, description: str, of: str, written: str) -> BatteryTable:
    """A clone of another table, of the format `of` and of two rows, and then a row of its own."""
    return BatteryTable(
        f"delta_{name}",
        description,
        (
            sql("CREATE TABLE {table} (record_key STRING) USING delta", "a table without rows", staged=False),
            sql(f"{written} {TWO_ROWS}", "another table of two rows", staged=False),
            sql(f"CREATE OR REPLACE TABLE {{table}} SHALLOW CLONE {of}.`{{elsewhere}}`", "the first becomes its clone"),
            write("append", SCHEMA, file(record_key=["k20"], i=[20], s=["s020"]), words="a row of its own"),
        ),
        format="DELTA",
        options=NO_VECTORS,
    )


TABLES = (
    delta("plain", "Ordinary values of every type.", EVERY_TYPE, ORDINARY, ORDINARY),
    delta(
        "micros",
        "Timestamps whose microseconds Delta's statistics leave out.",
        {"at": pa.timestamp("us", tz="UTC")},
        file(at=moments("2024-01-01", "2024-01-01T00:00:00.999999")),
        file(at=[EPOCH - MICROSECOND, EPOCH]),
    ),
    delta("decimals", "Decimals of four widths.", DECIMALS, *ROUND_DECIMALS),
    delta(
        "long_texts",
        "Strings longer than the 32 characters that Delta's statistics keep.",
        {"s": pa.string()},
        file(s=["a" * 40, "b" * 40]),
        file(s=[EMOJI * 40, "z"]),
    ),
    delta(
        "nan",
        "NaN among ordinary doubles and floats.",
        {"d": pa.float64(), "f": pa.float32()},
        file(d=[1.0, 5.0, nan], f=[1.0, 5.0, nan]),
        file(d=[nan, nan], f=[nan, nan]),
    ),
    delta("nested", "Structs in structs.", {"st": STRUCT}, file(st=[struct(1, 1.5, "a"), struct(2, 2.5, "b"), None])),
    delta("nulls", "Every type, all null in one file.", EVERY_TYPE, ORDINARY, NOTHING),
    delta(
        "no_stats",
        "No statistics in Delta's log.",
        SCHEMA,
        rows(10),
        rows(20),
        options={"delta.dataSkippingNumIndexedCols": "0"},
    ),
    delta(
        "ntz",
        "Timestamps without a zone.",
        {"at": pa.timestamp("us")},
        file(at=[EPOCH.replace(tzinfo=None)]),
        twin="delta_micros",
    ),
    delta(
        "shorts",
        "Integers of one and two bytes.",
        {"tiny": pa.int8(), "small": pa.int16()},
        file(tiny=[1], small=[1]),
        twin="edge_delta_both_signs",
    ),
    delta(
        "mapped",
        "Columns mapped by name, then one renamed.",
        SCHEMA,
        rows(10),
        rows(20),
        then=(
            sql("ALTER TABLE {table} RENAME COLUMN i TO j", "i is renamed to j"),
            write("append", {"j": pa.int32(), "s": pa.string()}, file(j=[30], s=["s030"]), words="a row after it"),
        ),
        options={"delta.columnMapping.mode": "name"},
    ),
    delta(
        "vectors",
        "A delete that leaves the file and writes a deletion vector.",
        SCHEMA,
        rows(10, 10),
        then=(sql("DELETE FROM {table} WHERE i IN (11, 13, 15)", "delete three of ten rows"),),
        options={"delta.enableDeletionVectors": "true"},
    ),
    delta(
        "changed",
        "Delete, update, optimize and a schema change, files rewritten each time.",
        SCHEMA,
        rows(10),
        rows(20),
        then=(
            sql("DELETE FROM {table} WHERE i = 11", "delete a row"),
            sql("UPDATE {table} SET s = 'new' WHERE i = 21", "update a row"),
            sql("OPTIMIZE {table}", "optimize"),
            sql("ALTER TABLE {table} ADD COLUMN extra double", "add a column"),
            write(
                "append",
                SCHEMA | {"extra": pa.float64()},
                file(i=[30], s=["s030"], extra=[1.5]),
                words="a row with it",
            ),
        ),
    ),
    delta(
        "z_ordered",
        "Optimized with a Z-order.",
        SCHEMA,
        rows(10),
        rows(5),
        then=(sql("OPTIMIZE {table} ZORDER BY (i)", "z-order by i"),),
    ),
    delta(
        "replaced",
        "Overwritten as a whole.",
        SCHEMA,
        rows(10),
        then=(write("overwrite", SCHEMA, rows(50, 2), words="overwrite"),),
    ),
    shallow_clone(
        "shallow_clone",
        "A shallow clone of a table, whose files Delta's log names by their addresses (xtable#907).",
        "delta",
        "CREATE TABLE delta.`{elsewhere}` USING delta AS",
    ),
    shallow_clone(
        "parquet_clone",
        "A shallow clone of plain Parquet files, of which Delta's log has no statistics (xtable#907).",
        "parquet",
        "INSERT OVERWRITE DIRECTORY '{elsewhere}' USING parquet",
    ),
    parted(
        "paths", "Special characters in partition values.", pa.string(), ["a", "a b", "a/b", "50%", "x=y", "é", None]
    ),
    parted("by_date", "Partitioned by a date.", pa.date32(), [*days("2024-01-01", "1969-12-31"), None]),
    parted(
        "by_time",
        "Partitioned by a timestamp.",
        pa.timestamp("us", tz="UTC"),
        [*moments("2024-01-01T12:30:00")],
        twin="delta_by_date",
    ),
    parted("by_decimal", "Partitioned by a decimal.", pa.decimal128(10, 2), list(ROUND_DECIMALS[0].columns["m10"])),
)
