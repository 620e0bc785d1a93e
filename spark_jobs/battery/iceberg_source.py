"""iceberg_*: tables of Apache Iceberg, as sources of XTable. PyIceberg writes them, not Spark.

They are no part of the battery that every run audits: `--source-format iceberg --target delta` asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time
from typing import Any

import pyarrow as pa

from spark_jobs.battery.iceberg_in_spark import DELETE_BY_VALUE
from spark_jobs.battery.iceberg_table import AT_FIRST
from spark_jobs.battery.parquet import PLAIN, plain
from spark_jobs.battery.table import BatteryTable, Called, File, Step, file, sql, write
from spark_jobs.battery.values import EMOJI, EPOCH, MICROSECOND, days, decimals, moments

INTS = {"i": pa.int32()}
WITH_TEXT = {**INTS, "s": pa.string()}
ZONED, LOCAL = pa.timestamp("us", tz="UTC"), pa.timestamp("us")


def iceberg(name: str, description: str, *steps: Step, **facts: Any) -> BatteryTable:
    return BatteryTable(f"iceberg_{name}", description, steps, format="ICEBERG_SOURCE", **facts)


def of_types(
    name: str, description: str, schema: Mapping[str, pa.DataType], *files: File, **facts: Any
) -> BatteryTable:
    """A table of one stage, a commit for each of the files."""
    return iceberg(name, description, write("append", schema, *files), **facts)


def parted(name: str, description: str, type_: pa.DataType, *values: object, by: str = "identity") -> BatteryTable:
    """Two rows for each value of the column `p`, by which, or by a transform of which, the table is partitioned."""
    pairs = [value for value in values for _ in range(2)]
    rows = write("append", {"p": type_, "i": pa.int32()}, file(p=pairs, i=range(len(pairs))))
    fields: dict[str, Any] = {"partition_by": ("p",)} if by == "identity" else {"partition_spec": f"p:{by}"}
    return iceberg(name, description, rows, **fields)


def called(words: str, method: str, *, staged: bool = True, **arguments: Any) -> Step:
    return Step(words, Called(method, arguments), staged)


def ints(*values: int) -> File:
    return file(i=values)


def texts(*values: str) -> File:
    return file(i=range(len(values)), s=values)


def of_times(*values: datetime) -> File:
    return file(z=values, n=[one.replace(tzinfo=None) for one in values])


TWO = write("append", INTS, ints(1, 2, 3), ints(4, 5, 6))
"""Two files, the beginning of most histories."""
FIRST = write("append", WITH_TEXT, texts("a", "b"), texts("c", "d"))
FIRST_UNSYNCED = write("append", WITH_TEXT, texts("a", "b"), texts("c", "d"), staged=False)
"""The same, before the first sync."""

TABLES = (
    of_types("plain", "Ordinary values of plain types and a struct in 2 files of 5 rows.", PLAIN, plain(0), plain(100)),
    of_types(
        "nulls",
        "Nulls beside values, and a column that is null in a whole file.",
        WITH_TEXT,
        file(i=[1, None], s=["a", None]),
        file(i=[None, None], s=["b", "c"]),
    ),
    of_types(
        "nan",
        "NaN and infinities among numbers.",
        {"f": pa.float32(), "d": pa.float64()},
        file(f=[1.0, float("nan"), 3.0], d=[float("nan"), 2.0, 4.0]),
        file(f=[float("-inf"), 0.0, 5.0], d=[-0.0, 6.0, float("inf")]),
    ),
    of_types(
        "strings",
        "An empty string, strings longer than 16 characters, and one above the Basic Multilingual Plane.",
        {"s": pa.string()},
        file(s=["", "a" * 20, "a" * 19 + "b"]),
        file(s=["\uffff", EMOJI * 20, "z"]),
    ),
    of_types(
        "decimals",
        "Decimals of 9, 18 and 38 digits, negative ones too.",
        {"m9": pa.decimal128(9, 2), "m18": pa.decimal128(18, 4), "m38": pa.decimal128(38, 10)},
        file(
            m9=decimals("-9999999.99", "0.01"),
            m18=decimals("-99999999999999.9999", "99999999999999.9999"),
            m38=decimals("-1234567890123456789012345678.0123456789", "1.5"),
        ),
    ),
    of_types(
        "dates",
        "Dates before and after 1970.",
        {"day": pa.date32()},
        file(day=days("1582-10-04", "1969-12-31")),
        file(day=days("1970-01-01", "9999-12-31")),
    ),
    of_types(
        "micros",
        "Timestamps of microseconds, with a time zone and without one, the later file's around 1970.",
        {"z": ZONED, "n": LOCAL},
        of_times(*moments("2023-02-05T01:02:03.123456", "2023-02-05T01:02:03.999999")),
        of_times(EPOCH - MICROSECOND, EPOCH + MICROSECOND),
    ),
    of_types(
        "times", "A time of day.", {"at": pa.time64("us")}, file(at=[time(1, 2, 3, 456), time(23, 59, 59, 999_999)])
    ),
    of_types(
        "nested",
        "A struct in a struct, lists, maps, and a list of structs.",
        {
            "st": pa.struct({"x": pa.int32(), "in": pa.struct({"y": pa.string()})}),
            "ls": pa.list_(pa.int32()),
            "mp": pa.map_(pa.string(), pa.int64()),
            "rows": pa.list_(pa.struct({"x": pa.int32()})),
        },
        file(
            st=[{"x": 1, "in": {"y": "a"}}, {"x": 2, "in": {"y": "b"}}],
            ls=[[1, 2], [3]],
            mp=[[("a", 1)], [("b", 2)]],
            rows=[[{"x": 1}], [{"x": 2}]],
        ),
    ),
    of_types(
        "bytes",
        "Bytes, and bytes of a fixed length.",
        {"b": pa.binary(), "x": pa.binary(4)},
        file(b=[b"\x01", b"\xff" * 20], x=[b"abcd", b"\xff\x00\x00\x01"]),
    ),
    of_types("uuids", "UUIDs.", {"u": pa.uuid()}, file(u=[bytes(range(16)), b"\xff" * 16])),
    of_types(
        "unmeasured",
        "Counts and no bounds, and neither of one column (`write.metadata.metrics`).",
        WITH_TEXT,
        texts("a", "b"),
        options={"write.metadata.metrics.default": "counts", "write.metadata.metrics.column.s": "none"},
    ),
    of_types(
        "spaced_name",
        "A column whose name has a blank, for which files hold another name.",
        {"a b": pa.int32()},
        File({"a b": (1, 2)}),
    ),
    of_types("version1", "A table of Iceberg's format version 1.", INTS, ints(1, 2), options={"format-version": "1"}),
    parted("by_string", "Partitions by a string.", pa.string(), "x", "y"),
    parted("by_int", "Partitions by an integer.", pa.int32(), 1, 2),
    parted("by_date", "Partitions by a date.", pa.date32(), *days("2023-02-05", "1969-12-31")),
    parted("by_decimal", "Partitions by a decimal.", pa.decimal128(9, 2), *decimals("1.50", "-2.00")),
    parted(
        "by_moment",
        "Partitions by a timestamp, as it is.",
        ZONED,
        *moments("2023-02-05T01:02:03.123456", "2023-02-05T01:02:04"),
    ),
    parted(
        "by_special", "Partition values that PyIceberg escapes in its paths.", pa.string(), "a b", "a=b", "a/b", "ä%"
    ),
    parted("by_null", "Partitions by a string that is null in one of them.", pa.string(), "x", None),
    parted("by_year", "Partitions by the year of a timestamp.", ZONED, *moments("2023-02-05", "1969-12-31"), by="year"),
    parted(
        "by_month", "Partitions by the month of a date.", pa.date32(), *days("2023-02-05", "1969-12-31"), by="month"
    ),
    parted(
        "by_daily",
        "Partitions by the day of a timestamp.",
        ZONED,
        *moments("2023-02-05T23:59:59.999999", "1969-12-31T12:00:00"),
        by="day",
    ),
    parted(
        "by_hour",
        "Partitions by the hour of a timestamp.",
        ZONED,
        *moments("2023-02-05T23:59", "2023-02-06"),
        by="hour",
    ),
    parted(
        "null_day", "Partitions by the day of a timestamp that is null in one of them.", ZONED, EPOCH, None, by="day"
    ),
    parted("by_bucket", "Partitions by 4 buckets of a string.", pa.string(), "x", "y", "z", by="bucket[4]"),
    parted("by_truncated", "Partitions by the beginning of a string.", pa.string(), "aaa1", "bbb2", by="truncate[3]"),
    iceberg(
        "repartitioned",
        "Partitions by a string, then by another column, too.",
        write("append", {"p": pa.string(), **WITH_TEXT}, file(p=["x", "x"], i=[1, 2], s=["a", "b"])),
        called(
            "add a partition field",
            "update_spec.add_field",
            staged=False,
            source_column_name="s",
            transform="identity",
            partition_field_name="s",
        ),
        write("append", {"p": pa.string(), **WITH_TEXT}, file(p=["x", "y"], i=[3, 4], s=["c", "d"]), prefix="l"),
        partition_by=("p", "s"),
        options={AT_FIRST: "p"},
    ),
    iceberg(
        "unpartitioned_since",
        "Partitions by a string, then none.",
        write("append", {"p": pa.string(), **INTS}, file(p=["x", "y"], i=[1, 2])),
        called("remove the partition field", "update_spec.remove_field", staged=False, name="p"),
        write("append", {"p": pa.string(), **INTS}, file(p=["x", "y"], i=[3, 4]), prefix="l"),
        options={AT_FIRST: "p"},
    ),
    iceberg(
        "respec_rewritten",
        "Partitions by a string, then by another column, too, and all rows are written anew, before the first sync.",
        write("append", {"p": pa.string(), **WITH_TEXT}, file(p=["x", "x"], i=[1, 2], s=["a", "b"]), staged=False),
        called(
            "add a partition field",
            "update_spec.add_field",
            staged=False,
            source_column_name="s",
            transform="identity",
            partition_field_name="s",
        ),
        write("overwrite", {"p": pa.string(), **WITH_TEXT}, file(p=["x", "x"], i=[1, 2], s=["a", "b"])),
        partition_by=("p", "s"),
        options={AT_FIRST: "p"},
    ),
    iceberg(
        "append",
        "2 files, then a third, then a fourth.",
        TWO,
        write("append", INTS, ints(7, 8), prefix="l"),
        write("append", INTS, ints(9), prefix="m"),
    ),
    iceberg(
        "overwrite",
        "2 files, of which another takes the place.",
        TWO,
        write("overwrite", INTS, ints(7, 8, 9), prefix="l"),
    ),
    iceberg(
        "file_deleted",
        "2 files, of which one is deleted.",
        TWO,
        called("delete a file", "delete", delete_filter="i > 3"),
    ),
    iceberg(
        "rows_deleted",
        "Rows are deleted, and a file holds the others of theirs.",
        TWO,
        called("delete rows", "delete", delete_filter="i = 2"),
    ),
    iceberg("all_deleted", "All rows are deleted.", TWO, called("delete all", "delete", delete_filter="i > 0")),
    iceberg(
        "no_news",
        "2 files, then a commit without a row, then a third file.",
        TWO,
        write("append", INTS, ints()),
        write("append", INTS, ints(7), prefix="l"),
    ),
    iceberg(
        "partition_overwritten",
        "The rows of one partition give way to others.",
        write("append", {"p": pa.string(), **INTS}, file(p=["x", "x", "y"], i=[1, 2, 3])),
        write(
            "overwrite",
            {"p": pa.string(), **INTS},
            file(p=["x"], i=[40]),
            prefix="l",
            options={"overwrite_filter": "p == 'x'"},
        ),
        partition_by=("p",),
    ),
    iceberg(
        "rolled_back",
        "2 commits are synced, then the table is rolled back to the first of them.",
        write("append", INTS, ints(1, 2, 3)),
        write("append", INTS, ints(4, 5, 6), prefix="l"),
        called("roll back to the first commit", "manage_snapshots.rollback_to_snapshot", snapshot_id=1),
    ),
    iceberg(
        "add_column",
        "2 files, then a third with a column more.",
        TWO,
        called("add a column", "update_schema.add_column", path="s", field_type="string", staged=False),
        write("append", WITH_TEXT, texts("a", "b"), prefix="l"),
    ),
    iceberg(
        "added_column",
        "The same, before the first sync.",
        write("append", INTS, ints(1, 2, 3), ints(4, 5, 6), staged=False),
        called("add a column", "update_schema.add_column", path="s", field_type="string", staged=False),
        write("append", WITH_TEXT, texts("a", "b"), prefix="l"),
    ),
    iceberg(
        "rename_column",
        "2 files, then a column has another name.",
        FIRST,
        called("rename a column", "update_schema.rename_column", path_from="s", new_name="t", staged=False),
        write("append", {**INTS, "t": pa.string()}, file(i=[5, 6], t=["e", "f"]), prefix="l"),
    ),
    iceberg(
        "once_renamed",
        "A column gets another name before the first sync.",
        FIRST_UNSYNCED,
        called("rename a column", "update_schema.rename_column", path_from="s", new_name="t"),
    ),
    iceberg(
        "rename_rewritten",
        "A column gets another name, and all rows are written anew, before the first sync.",
        FIRST_UNSYNCED,
        called("rename a column", "update_schema.rename_column", path_from="s", new_name="t", staged=False),
        write("overwrite", {**INTS, "t": pa.string()}, file(i=[0, 1, 2], t=["a", "b", "c"]), prefix="l"),
    ),
    iceberg(
        "drop_column",
        "2 files, then a column is dropped.",
        FIRST,
        called("drop a column", "update_schema.delete_column", path="s", staged=False),
        write("append", INTS, ints(5, 6), prefix="l"),
    ),
    iceberg(
        "readded_column",
        "A column is dropped, and one of the same name and type is added, before the first sync.",
        FIRST_UNSYNCED,
        called("drop a column", "update_schema.delete_column", path="s", staged=False),
        called("add one of its name", "update_schema.add_column", path="s", field_type="string", staged=False),
        write("append", WITH_TEXT, texts("e", "f"), prefix="l"),
    ),
    iceberg(
        "widened_int",
        "An int becomes a long, and files of both are live.",
        TWO,
        called("promote int to long", "update_schema.update_column", path="i", field_type="long", staged=False),
        write("append", {"i": pa.int64()}, file(i=[7, 2**40]), prefix="l"),
    ),
    iceberg(
        "widened_float",
        "A float becomes a double, and a decimal wider, before the first sync.",
        write(
            "append",
            {"f": pa.float32(), "m": pa.decimal128(9, 2)},
            file(f=[0.5, 1.5], m=decimals("1.50", "2.50")),
            staged=False,
        ),
        called("promote float to double", "update_schema.update_column", path="f", field_type="double", staged=False),
        called("widen the decimal", "update_schema.update_column", path="m", field_type="decimal(18, 2)", staged=False),
        write(
            "append",
            {"f": pa.float64(), "m": pa.decimal128(18, 2)},
            file(f=[2.5], m=decimals("9999999999.25")),
            prefix="l",
        ),
    ),
)

IN_SPARK = (
    iceberg(
        "position_deletes",
        "A row is deleted by a position delete file, which Spark writes.",
        TWO,
        sql("DELETE FROM {table} WHERE i = 2", "delete a row, merge on read"),
        options={"write.delete.mode": "merge-on-read"},
    ),
    iceberg(
        "equality_deletes",
        "Rows are deleted by an equality delete file, by Iceberg's library, and one of the value is inserted again.",
        TWO,
        called("delete rows by their value", DELETE_BY_VALUE, i=[2, 5]),
        sql("INSERT INTO {table} VALUES ('s0', 2)", "insert a row of a deleted value"),
    ),
    iceberg(
        "version3",
        "A table of Iceberg's format version 3, without a delete.",
        TWO,
        sql("ALTER TABLE {table} SET TBLPROPERTIES ('format-version' = '3')", "format version 3", staged=False),
        sql("INSERT INTO {table} VALUES ('s0', 7)", "insert a row"),
    ),
    iceberg(
        "vectors",
        "Format version 3, and a row is deleted by a deletion vector, which Spark writes.",
        TWO,
        sql("ALTER TABLE {table} SET TBLPROPERTIES ('format-version' = '3')", "format version 3", staged=False),
        sql("DELETE FROM {table} WHERE i = 2", "delete a row, merge on read"),
        options={"write.delete.mode": "merge-on-read"},
    ),
)
"""Tables with steps of Iceberg in Spark, for what PyIceberg does not write."""

ICEBERG_TABLES: Mapping[str, BatteryTable] = {table.name: table for table in (*TABLES, *IN_SPARK)}
"""By name."""
