"""The histories that `write.py` writes down, and the values in them as Spark's SQL writes them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from spark_jobs.battery.table import BatteryTable, Step, file, service, sql, write
from tests.of_each import of_each
from tools.reproduce.folder import questions
from tools.reproduce.spark_script import literal, quoted, skipped, sql_type, synced

NUMBER = {"n": pa.int32()}
FIRST = write("bulk_insert", NUMBER, file(n=[1]), words="a row")


def script(*steps: Step, **more: object) -> str:
    return synced(BatteryTable("t", "A table.", steps, **more), "XTF-000: a fault")  # type: ignore[arg-type]


def test_a_write_is_its_rows_and_a_sync() -> None:
    assert script(FIRST).endswith(
        """\
# 1. a row
table.write(
    'bulk_insert',
    '`record_key` STRING, `n` INT',
    [
        [  # a data file
            "('k0000', 1)",
        ],
    ],
)
table.sync()
table.close()
"""
    )


def test_a_table_says_only_what_is_its_own() -> None:
    text = script(FIRST, options={"a": "b"}, partition_by=("n",), partition_spec="n:VALUE")
    head = "table = Table(\n    't',\n    partition_by=['n'],\n    spec='n:VALUE',\n    options={\n        'a': 'b',\n"
    assert head in text


@pytest.mark.parametrize(
    ("steps", "lines"),
    [
        (
            (FIRST, service("savepoint", of=1)),
            ["commit_1 = table.write(", "table.service('savepoint', commit_1)"],
        ),
        (
            (FIRST, write("insert", NUMBER, file(n=[2]), in_flight=(1,))),
            ["commit_1 = table.write(", "table.sync(in_flight=[commit_1])"],
        ),
        ((FIRST, Step("it completes", None)), ["# 2. it completes\ntable.sync()"]),
        ((sql("DELETE FROM {table}", "none is left"),), ["table.statement('DELETE FROM {table}')"]),
    ],
    ids=["a service about a commit", "a commit in flight", "nothing but a sync", "a statement"],
)
def test_a_later_step_names_the_commit_it_is_about(steps: tuple[Step, ...], lines: list[str]) -> None:
    text = script(*steps)
    assert [line for line in lines if line not in text] == []


def test_commits_get_the_time_of_the_last_one_that_was_synced() -> None:
    text = script(FIRST, sql("DELETE FROM {table}", "none is left"), FIRST, format="DELTA", in_synced_second=2)
    assert text.count("table.share_second()\n") == 1
    assert "table.statement('DELETE FROM {table}')\ntable.share_second()\ntable.sync()\n" in text


def test_a_table_of_hudis_own_is_kept_after_each_event_and_asked() -> None:
    text = skipped(BatteryTable("t", "A table.", (FIRST,), hudi="1.2.0"), "XTF-000: a fault", ["n = 1"])
    assert text.endswith("index.keep('a row')\nindex.ask(\n    'n = 1',\n)\ntable.close()\n")
    assert "sync" not in text


def test_a_prefix_is_asked_for_by_like() -> None:
    assert "(`state` = 'NY') AND (`zip_code` LIKE '100%')" in questions("skip_prefix")


# values as Spark's SQL writes them


AFTER_9999 = 253_402_300_800_000_000
STRUCT = pa.struct([("a", pa.int32()), ("b c", pa.string())])
CASES: dict[str, tuple[Any, pa.DataType, str]] = {
    "null": (None, pa.int32(), "NULL"),
    "boolean": (True, pa.bool_(), "true"),
    "integer": (-7, pa.int64(), "-7"),
    "integer beyond 32 bits": (-(1 << 63), pa.int64(), "CAST('-9223372036854775808' AS BIGINT)"),
    "double": (-0.0, pa.float64(), "CAST('-0.0' AS DOUBLE)"),
    "NaN": (float("nan"), pa.float32(), "CAST('NaN' AS FLOAT)"),
    "negative infinity": (float("-inf"), pa.float64(), "CAST('-Infinity' AS DOUBLE)"),
    "decimal": (Decimal("-0.10"), pa.decimal128(9, 2), "CAST('-0.10' AS DECIMAL(9, 2))"),
    "text with a quote and a backslash": ("it's \\", pa.string(), r"'it\'s \\'"),
    "text with a control character": ("a\x00b\n", pa.string(), r"'a\u0000b\n'"),
    "long run of one character": ("x" + "a" * 5000, pa.string(), "concat('x', repeat('a', 5000))"),
    "bytes": (b"\x00\xff", pa.binary(), "X'00ff'"),
    "date": (date(1582, 10, 10), pa.date32(), "DATE '1582-10-10'"),
    "date after 9999": (2_932_897, pa.date32(), "date_from_unix_date(2932897)"),
    "timestamp": (
        datetime(2023, 2, 5, 1, 2, 3, 123000, UTC),
        pa.timestamp("us", "UTC"),
        "TIMESTAMP '2023-02-05 01:02:03.123000 UTC'",
    ),
    "timestamp before 1000": (
        datetime(1, 1, 1, tzinfo=UTC),
        pa.timestamp("us", "UTC"),
        "TIMESTAMP '0001-01-01 00:00:00.000000 UTC'",
    ),
    "timestamp after 9999": (
        253_402_300_800_000_000,
        pa.timestamp("us", "UTC"),
        "timestamp_micros(253402300800000000)",
    ),
    "timestamp without a zone": (datetime(2023, 2, 5), pa.timestamp("us"), "TIMESTAMP_NTZ '2023-02-05 00:00:00'"),
    "list": ([1, None], pa.list_(pa.int32()), "array(1, NULL)"),
    "map": ({"k": 1}, pa.map_(pa.string(), pa.int32()), "map('k', 1)"),
    "struct": ({"a": 1}, STRUCT, "named_struct('a', CAST(1 AS INT), 'b c', CAST(NULL AS STRING))"),
}


@of_each(("value", "kind", "sql"), CASES.values(), ids=CASES)
def test_a_value_is_written_as_its_type_demands(value: Any, kind: pa.DataType, sql: str) -> None:
    assert literal(value, kind) == sql


def test_a_nested_type_has_its_sql_name() -> None:
    kind = pa.list_(pa.map_(pa.string(), STRUCT))
    assert sql_type(kind) == "ARRAY<MAP<STRING, STRUCT<`a`: INT, `b c`: STRING>>>"


def test_a_name_is_quoted() -> None:
    assert quoted("a`b") == "`a``b`"


def test_a_type_that_spark_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="Spark has no time64"):
        sql_type(pa.time64("us"))
