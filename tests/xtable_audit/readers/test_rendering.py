"""One predicate, in each engine's own words. Firebolt's are as documented: no evidence about Firebolt."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import pytest

from xtable_audit.model.aggregate import joined
from xtable_audit.model.predicate import And, Compare, In, IsNull, StartsWith, columns_of
from xtable_audit.readers.aggregates_in_sql import in_sql
from xtable_audit.readers.reader import column_to_read
from xtable_audit.readers.sql_dialects import CLICKHOUSE, DUCKDB, FIREBOLT, TRINO

INDIA = dt.timezone(dt.timedelta(hours=5, minutes=30))


# One predicate, in each engine's own words.


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


# Predicates in Trino's SQL.


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, "TRUE"),
        (-7, "-7"),
        (0.1, "DOUBLE '0.1'"),
        (1e300, "DOUBLE '1e+300'"),
        (float("nan"), "DOUBLE 'NaN'"),
        (float("-inf"), "DOUBLE '-Infinity'"),
        (Decimal("1E+2"), "DECIMAL '100'"),
        (Decimal("-0.50"), "DECIMAL '-0.50'"),
        ("it's \\", "'it''s \\'"),
        (b"\x00\xff'", "X'00ff27'"),
        (dt.date(1582, 10, 10), "DATE '1582-10-10'"),
        (dt.datetime(9999, 12, 31, 23, 59, 59, 999999), "TIMESTAMP '9999-12-31 23:59:59.999999'"),
        (dt.datetime(1970, 1, 1, 5, 30, tzinfo=INDIA), "TIMESTAMP '1970-01-01 00:00:00 UTC'"),
    ],
)
def test_trino_has_a_value_written_exactly(value: Any, written: str) -> None:
    assert TRINO.literal(value) == written


@pytest.mark.parametrize(
    ("prefix", "written"),
    [
        ("2023-0", """"m" LIKE '2023-0%'"""),
        ("zone_", """"m" LIKE 'zone\\_%' ESCAPE '\\'"""),
        ("100%\\", """"m" LIKE '100\\%\\\\%' ESCAPE '\\'"""),
    ],
)
def test_begins_with_is_a_like_that_files_are_planned_by(prefix: str, written: str) -> None:
    assert TRINO.render(StartsWith("m", prefix)) == written


def test_a_hostile_column_name_stays_one_in_trino() -> None:
    assert TRINO.render(IsNull('a"b')) == '"a""b" IS NULL'


def test_a_dotted_name_is_a_path_unless_a_column_has_it() -> None:
    sql = TRINO.over({"place", "a.b"})
    assert sql.render(In("place.x", (1, 2))) == '"place"."x" IN (1, 2)'
    assert sql.render(Compare("a.b", "=", 1)) == '"a.b" = 1'


def test_keys_of_a_join_have_the_columns_type() -> None:
    """Trino 476 finds no REAL in a list of doubles with Infinity, for it takes the largest REAL for Infinity there."""
    sql = TRINO.over({"r"}, {"r": "real"})
    asked = in_sql([joined("r", (math.inf,))], "t", sql)
    assert "SELECT CAST(DOUBLE 'Infinity' AS real) AS xtable_audit_key" in asked


def test_a_dialect_over_a_table_begins_with_as_before() -> None:
    assert TRINO.over({"m"}).render(StartsWith("m", "a")) == """"m" LIKE 'a%'"""


# Predicates in Firebolt's own words, as documented: no evidence about Firebolt.


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, "TRUE"),
        (-7, "-7"),
        (1e300, "'1e+300'::DOUBLE PRECISION"),
        (float("-inf"), "'-inf'::DOUBLE PRECISION"),
        (Decimal("1E+2"), "100"),
        (Decimal("-0.50"), "-0.50"),
        ("it's \\", "'it''s \\'"),
        (b"\x00\xff'", "'\\x00ff27'::BYTEA"),
        (dt.date(1582, 10, 10), "DATE '1582-10-10'"),
        (dt.datetime(2023, 3, 10, 1, 30, 15, 121), "TIMESTAMP '2023-03-10 01:30:15.000121'"),
        (dt.datetime(1970, 1, 1, tzinfo=dt.UTC), "TIMESTAMPTZ '1970-01-01 00:00:00+00:00'"),
    ],
)
def test_firebolt_has_a_value_written_exactly(value: Any, written: str) -> None:
    assert FIREBOLT.literal(value) == written


@pytest.mark.parametrize(
    ("prefix", "written"),
    [
        ("zone", "\"a\" LIKE 'zone%'"),
        ("it's", "\"a\" LIKE 'it''s%'"),
        ("zone_", "STRPOS(\"a\", 'zone_') = 1"),
        ("100%", "STRPOS(\"a\", '100%') = 1"),
        ("\\", "STRPOS(\"a\", '\\') = 1"),
    ],
)
def test_a_prefix_is_no_pattern(prefix: str, written: str) -> None:
    assert FIREBOLT.render(StartsWith("a", prefix)) == written


def test_columns_are_quoted() -> None:
    assert FIREBOLT.where(IsNull('a"b') | In("c", (1, 2), negated=True)) == (
        ' WHERE ("a""b" IS NULL) OR ("c" NOT IN (1, 2))'
    )
