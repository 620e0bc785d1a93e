"""Predicates in Trino's SQL."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from xtable_audit.model.predicate import Compare, In, IsNull, StartsWith
from xtable_audit.readers.sql import TRINO

INDIA = dt.timezone(dt.timedelta(hours=5, minutes=30))


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
def test_a_value_is_written_exactly(value: Any, written: str) -> None:
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


def test_a_hostile_column_name_stays_a_column_name() -> None:
    assert TRINO.render(IsNull('a"b')) == '"a""b" IS NULL'


def test_a_dotted_name_is_a_path_unless_a_column_has_it() -> None:
    sql = TRINO.over({"place", "a.b"})
    assert sql.render(In("place.x", (1, 2))) == '"place"."x" IN (1, 2)'
    assert sql.render(Compare("a.b", "=", 1)) == '"a.b" = 1'


def test_a_dialect_over_a_table_begins_with_as_before() -> None:
    assert TRINO.over({"m"}).render(StartsWith("m", "a")) == """"m" LIKE 'a%'"""
