"""Every reader counts what the rows themselves say, for every kind of predicate."""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tests.of_each import of_each
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.readers.reader import Reader

VALUES: dict[str, Any] = {
    "id": 121,
    "vendor": 1,
    "trips": 1_210_000_000_000,
    "distance": 30.25,
    "rating": 1.5,
    "zone": "zone_4",
    "month": "2023-03",
    "fare": Decimal("8.47"),
    "total": Decimal("15.1250000000"),
    "tip": Decimal(121 * 10**15),
    "day": dt.date(2023, 3, 10),
    "picked_up": dt.datetime(2023, 3, 10, 1, 30, 15, 121),
    "recorded": dt.datetime(2023, 3, 10, 1, 30, 15, 121, tzinfo=dt.UTC),
}
GRID: list[Predicate] = [
    *(Compare(column, "=", value) for column, value in VALUES.items()),
    *(Compare(column, ">", VALUES[column]) for column in ("zone", "fare", "day", "picked_up", "recorded")),
    *(Compare("distance", sign, 30.25) for sign in ("!=", "<", "<=", ">", ">=")),
    In("zone", ("zone_1", "zone_2", "nowhere")),
    In("trips", (10_000_000_000, 20_000_000_000), negated=True),
    In("fare", (Decimal("0.07"), Decimal("0.14"))),
    In("day", (dt.date(2023, 1, 1), dt.date(2023, 2, 2)), negated=True),
    IsNull("zone"),
    IsNull("trips", negated=True),
    IsNull("dropped_off"),
    IsNull("month"),
    StartsWith("zone", "zone_"),
    StartsWith("zone", "zone%"),
    StartsWith("month", "2023-0"),
    StartsWith("zone_to", "it's 100% é"),
    Compare("zone_to", "=", "it's 100% é😀\\"),
    Compare("shared", "!=", True),
    Compare("raw", "=", bytes([121, 134])),
    And(Compare("month", "=", "2023-02"), Compare("distance", ">", 20.0)),
    Or(Compare("month", "=", "2023-02"), Compare("id", "<", 5)),
    Or(And(Compare("id", ">=", 40), Compare("id", "<", 60)), IsNull("zone")),
    And(IsNull("zone", negated=True), Or(Compare("fare", "<", Decimal("1.00")), Compare("vendor", "=", 2))),
]
SHAPES = [*{(type(p), getattr(p, "operator", None), getattr(p, "negated", None)): p for p in GRID}.values()]
"""One predicate of each kind: where all become the same SQL as another reader's, which is asked the whole grid."""
SIGNS = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def holds(predicate: Predicate, row: Mapping[str, Any]) -> bool | None:
    """SQL's three-valued logic over one row."""
    match predicate:
        case And(left, right):
            sides = (holds(left, row), holds(right, row))
            return False if False in sides else (None if None in sides else True)
        case Or(left, right):
            sides = (holds(left, row), holds(right, row))
            return True if True in sides else (None if None in sides else False)
        case IsNull(column, negated):
            return (row[column] is None) != negated
        case Compare(column, sign, value):
            return None if row[column] is None else bool(SIGNS[sign](row[column], value))
        case In(column, values, negated):
            return None if row[column] is None else (row[column] in values) != negated
        case StartsWith(column, prefix):
            return None if row[column] is None else row[column].startswith(prefix)
    raise TypeError(predicate)


@of_each("predicate", GRID, ids=str)
def test_a_reader_counts_the_rows_that_match(reader: Reader, tables: Any, predicate: Predicate) -> None:
    actual = sum(holds(predicate, row) is True for row in tables.rows)
    assert reader.query(tables.native.metadata, predicate).rows == actual


def test_without_a_predicate_a_reader_counts_all_rows(reader: Reader, tables: Any) -> None:
    assert reader.query(tables.scattered.metadata, None).rows == len(tables.rows)


def test_a_reader_says_its_version(reader: Reader) -> None:
    assert reader.version[0].isdigit()
