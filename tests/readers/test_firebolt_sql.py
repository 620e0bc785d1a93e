"""Predicates in Firebolt's own words, as documented: no evidence about Firebolt."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from xtable_audit.model.predicate import In, IsNull, StartsWith
from xtable_audit.readers.sql import FIREBOLT


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
def test_a_value_is_written_exactly(value: Any, written: str) -> None:
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
