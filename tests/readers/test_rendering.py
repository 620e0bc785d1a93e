"""One predicate, in each engine's own words."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from xtable_audit.model.predicate import And, Compare, IsNull, StartsWith, columns_of
from xtable_audit.readers.column_to_read import column_to_read
from xtable_audit.readers.sql import CLICKHOUSE, DUCKDB

INDIA = dt.timezone(dt.timedelta(hours=5, minutes=30))


@pytest.mark.parametrize(
    ("value", "duckdb", "clickhouse"),
    [
        (True, "TRUE", "true"),
        (-7, "-7", "-7"),
        (1e300, "1e+300", "1e+300"),
        (float("-inf"), "'-inf'::DOUBLE", "-inf"),
        (float("nan"), "'nan'::DOUBLE", "nan"),
        (Decimal("1E+2"), "100", "toDecimal128('100', 0)"),
        (Decimal("-0.50"), "-0.50", "toDecimal128('-0.50', 2)"),
        ("it's \\", "'it''s \\'", "'it\\'s \\\\'"),
        (b"\x00\xff'", "'\\x00\\xff\\x27'::BLOB", "unhex('00ff27')"),
        (dt.date(1582, 10, 10), "DATE '1582-10-10'", "toDate32('1582-10-10')"),
        (
            dt.datetime(9999, 12, 31, 23, 59, 59, 999999),
            "TIMESTAMP '9999-12-31 23:59:59.999999'",
            "fromUnixTimestamp64Micro(toInt64(253402300799999999), 'UTC')",
        ),
        (
            dt.datetime(1970, 1, 1, 5, 30, tzinfo=INDIA),
            "TIMESTAMPTZ '1970-01-01 05:30:00+05:30'",
            "fromUnixTimestamp64Micro(toInt64(0), 'UTC')",
        ),
    ],
)
def test_a_value_is_written_exactly(value: Any, duckdb: str, clickhouse: str) -> None:
    assert (DUCKDB.literal(value), CLICKHOUSE.literal(value)) == (duckdb, clickhouse)


def test_a_hostile_column_name_stays_a_column_name() -> None:
    predicate = IsNull('a"b`c\\')
    assert DUCKDB.render(predicate) == '"a""b`c\\" IS NULL'
    assert CLICKHOUSE.render(predicate) == '`a"b\\`c\\\\` IS NULL'


def test_the_column_to_read_is_a_plain_number_the_predicate_does_not_name() -> None:
    types = {"m": "string", "l": "list<double>", "d": "double", "n": "long", "s": "string"}
    assert column_to_read(types, Compare("d", "=", 1.0)) == "n"


def test_the_columns_of_a_predicate_are_all_it_names() -> None:
    assert columns_of(And(StartsWith("a", "x"), IsNull("b"))) == {"a", "b"}
