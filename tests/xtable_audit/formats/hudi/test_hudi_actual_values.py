"""What is compared of a Hudi table: its values, worked out by hand here, and the bounds in the JSON of its indexes."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from tests.of_each import of_each
from tests.xtable_audit.formats.hudi import healthy
from tests.xtable_audit.formats.hudi.healthy import CA1, CA2, NY1, NY2, TX
from xtable_audit.formats.hudi.claims.layers import could_match
from xtable_audit.formats.hudi.index import COLUMN_STATISTICS, INDEX, PARTITION_STATISTICS, Kind, decode
from xtable_audit.formats.hudi.indexed_table import FILE, PARTITION, HudiCase, HudiStage, actual_metrics, matching
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith

UTC = dt.UTC
NOON = dt.datetime(2023, 1, 1, 12, 0, 0, 5, tzinfo=UTC)
HEALTHY = healthy.case()


def in_order(value: object) -> str:
    """An id that is the same in every process: sets have no order of their own."""
    return ", ".join(sorted(map(str, value))) or "none" if isinstance(value, set | frozenset) else str(value)


def of_column(values: Sequence[Any], arrow: pa.DataType) -> HudiCase:
    """A table of one file and the column `c`."""
    size = len(values)
    table = pa.table({"c": pa.array(values, arrow), FILE: ["p=1/f.parquet"] * size, PARTITION: ["p=1"] * size})
    stage = HudiStage("one insert", frozenset(), table, INDEX.empty_table())
    return HudiCase("one-hudi1", "1", (stage,), ())


# Bounds in Hudi's JSON become values of their column's type, and anything else is reported in one sentence.


@of_each(
    ("arrow", "text", "value"),
    [
        (pa.string(), '"10001"', "10001"),
        (pa.large_string(), '"\\ud83d\\ude00"', "😀"),
        (pa.int32(), "-5", -5),
        (pa.int64(), "9223372036854775807", 2**63 - 1),
        (pa.int16(), "7", 7),
        (pa.float32(), "1.1", pa.scalar(1.1, pa.float32()).as_py()),
        (pa.float64(), "1.1", 1.1),
        (pa.float64(), "5", 5.0),
        (pa.float64(), '"Infinity"', math.inf),
        (pa.float64(), '"-Infinity"', -math.inf),
        (pa.float64(), "1.0E-300", 1e-300),
        (pa.bool_(), "true", True),
        (pa.date32(), "-1", dt.date(1969, 12, 31)),
        (pa.date32(), '"2023-01-01"', dt.date(2023, 1, 1)),
        (pa.timestamp("us", "UTC"), "1672574400000005", NOON),
        (pa.timestamp("us", "UTC"), '"2023-01-01T12:00:00.000005Z"', NOON),
        (pa.timestamp("us", "UTC"), '"2023-01-01T13:00:00.000005+01:00"', NOON),
        (pa.timestamp("us"), '"2023-01-01T12:00:00.000005Z"', NOON.replace(tzinfo=None)),
        (pa.timestamp("us"), "-1", dt.datetime(1969, 12, 31, 23, 59, 59, 999999)),
        (pa.decimal128(10, 2), "1.500000000000000", Decimal("1.50")),
        (pa.decimal128(10, 2), '"1.50"', Decimal("1.50")),
        (pa.decimal128(10, 2), "7", Decimal("7.00")),
        (pa.decimal128(10, 2), '"/2o="', Decimal("-1.50")),
        (
            pa.decimal128(38, 10),
            "-1234567890123456789012345678.0123456789",
            Decimal("-1234567890123456789012345678.0123456789"),
        ),
        (pa.binary(), '"AP8="', b"\x00\xff"),
    ],
)
def test_bound_is_read(arrow: pa.DataType, text: str, value: Any) -> None:
    values, why = decode(pa.chunked_array([[text, None]]), arrow)
    assert (values.to_pylist(), why.to_pylist()) == ([value, None], [None, None])


def test_nan_is_read() -> None:
    [value, bare] = decode(pa.chunked_array([['"NaN"', "NaN"]]), pa.float64())[0].to_pylist()
    assert math.isnan(value)
    assert math.isnan(bare)


@of_each(
    ("arrow", "text"),
    [
        (pa.string(), "1"),
        (pa.int32(), "2147483648"),
        (pa.int32(), "1.5"),
        (pa.int32(), "1.0"),
        (pa.timestamp("us"), "1.5"),
        (pa.bool_(), "0"),
        (pa.float64(), "true"),
        (pa.date32(), '"1.1.2023"'),
        (pa.timestamp("us"), "{}"),
        (pa.decimal128(4, 2), "100.00"),
        (pa.decimal128(10, 2), "1.234"),
        (pa.binary(), '"not base64"'),
        (pa.list_(pa.int32()), "[1]"),
        (pa.int32(), "{"),
    ],
)
def test_anything_else_is_reported_in_one_sentence(arrow: pa.DataType, text: str) -> None:
    values, why = decode(pa.chunked_array([[text]]), arrow)
    assert (values.to_pylist(), why.to_pylist()) == ([None], [f"a bound that is no {arrow}: {text}"])


# The truth of a Hudi table: extremes, counts and matching rows by the values, worked out by hand here.


@of_each(
    ("column", "low", "high", "nulls", "nans"),
    [
        ("zip_code", "10001", "10199", 0, 0),
        ("text", "中1", "😀4", 0, 0),
        ("with_nan", 1.0, 3.0, 0, 1),
        ("gap", 1, 4, 1, 0),
        ("nothing", None, None, 4, 0),
        ("inside.leaf", 2, 8, 0, 0),
        ("flag", False, False, 0, 0),
    ],
)
def test_extremes_and_counts_of_a_file(column: str, low: Any, high: Any, nulls: int, nans: int) -> None:
    assert of(COLUMN_STATISTICS, NY1, column) == (low, high, 4, nulls, nans)


def test_a_live_file_without_rows_has_actual_values() -> None:
    assert of(COLUMN_STATISTICS, TX, "number") == (None, None, 0, 0, 0)


def test_partition_is_the_sum_of_its_files() -> None:
    assert of(PARTITION_STATISTICS, "state=CA", "number") == (8, 13, 5, 0, 0)


def of(kind: Kind, name: str, column: str) -> tuple[Any, ...]:
    """Min, max, values, nulls and NaNs of a file or partition of the healthy table."""
    metrics = actual_metrics(HEALTHY.newest, kind, column)
    assert metrics.column_names == ["min", "max", "value_count", "null_count", "nan_count"]
    return tuple(metrics.to_pylist()[HEALTHY.newest.live(kind).index(name)].values())


@of_each("predicate", healthy.DRAWN, ids=str)
def test_matching_rows_are_those_found_by_hand(predicate: Predicate) -> None:
    keys = set(healthy.DRAWN[predicate])
    by_hand = {file: sum(one["number"] in keys for one in rows) for file, rows in healthy.NEWEST.items()}
    assert matching(HEALTHY.newest, predicate) == {file: count for file, count in by_hand.items() if count}


@of_each(
    ("operator", "value", "rows"),
    [
        (">", 1.0, 2),
        (">=", 1.0, 3),
        ("<", 1.0, 0),
        ("<=", 1.0, 1),
        ("=", 1.0, 1),
        ("!=", 1.0, 2),
        ("=", math.nan, 1),
        ("!=", math.nan, 2),
        ("<", math.nan, 2),
        ("<=", math.nan, 3),
        (">", math.nan, 0),
        (">=", math.nan, 1),
    ],
)
def test_nan_is_the_greatest_number_as_in_spark(operator: Any, value: float, rows: int) -> None:
    case = of_column([1.0, math.inf, math.nan, None], pa.float64())
    assert sum(matching(case.newest, Compare("c", operator, value)).values()) == rows


@of_each(
    ("predicate", "rows"),
    [
        (Compare("c", "!=", 1), 1),
        (In("c", (1,), negated=True), 1),
        (IsNull("c"), 1),
        (IsNull("c", negated=True), 2),
        (Or(IsNull("c"), Compare("c", "=", 1)), 2),
        (And(IsNull("c"), Compare("c", "=", 1)), 0),
    ],
    ids=in_order,
)
def test_null_matches_nothing_but_is_null(predicate: Predicate, rows: int) -> None:
    assert sum(matching(of_column([1, 2, None], pa.int32()).newest, predicate).values()) == rows


def test_strings_are_in_the_order_of_their_bytes() -> None:
    """By UTF-16, as Java's strings compare, the emoji would come first."""
    actual = actual_metrics(of_column(["😀", "\uff5e"], pa.string()).newest, COLUMN_STATISTICS, "c")
    assert (actual["min"][0].as_py(), actual["max"][0].as_py()) == ("\uff5e", "😀")


def test_decimals_of_38_digits_are_exact() -> None:
    values = [Decimal("9999999999999999999999999999.0000000001"), Decimal("9999999999999999999999999999.0000000002")]
    actual = actual_metrics(of_column(values, pa.decimal128(38, 10)).newest, COLUMN_STATISTICS, "c")
    assert (actual["min"][0].as_py(), actual["max"][0].as_py()) == tuple(values)


@of_each(
    ("predicate", "files"),
    [
        (healthy.PUBLISHED, {NY1}),
        (Compare("zip_code", "=", "10100"), {NY1}),
        (healthy.NONE, set()),
        (healthy.EITHER, {NY1, CA2}),
        (And(Compare("number", ">", 9), Compare("zip_code", "<", "20000")), {NY2}),
        (Or(healthy.PUBLISHED, Compare("unindexed", "=", 0)), {NY1, NY2, CA1, CA2, TX}),
        (And(healthy.PUBLISHED, Compare("unindexed", "=", 0)), {NY1}),
        (In("number", (1, 13)), {NY1, CA2}),
        (IsNull("nothing", negated=True), set()),
        (healthy.WITH_NAN, {NY1, CA1, CA2}),
        (StartsWith("zip_code", "100"), {NY1, NY2, CA1, CA2, TX}),
        (Compare("zip_code", "!=", "10001"), {NY1, NY2, CA1, CA2, TX}),
    ],
    ids=in_order,
)
def test_files_that_true_bounds_leave(predicate: Predicate, files: set[str]) -> None:
    assert could_match(HEALTHY.newest, COLUMN_STATISTICS, predicate) == files


def test_partition_statistics_know_nothing_of_nulls() -> None:
    left = could_match(HEALTHY.newest, PARTITION_STATISTICS, IsNull("nothing", negated=True))
    assert left == HEALTHY.newest.partitions


@pytest.mark.parametrize(("kind", "left"), [(COLUMN_STATISTICS, healthy.CA2), (PARTITION_STATISTICS, "state=CA")])
def test_an_index_that_nobody_read_is_taken_to_know_every_column(kind: Kind, left: str) -> None:
    """Else nothing could be checked of the layers above it."""
    unread = replace(HEALTHY.newest, index=INDEX.empty_table())
    assert could_match(unread, kind, Compare("zip_code", "=", "96199")) == {left}
