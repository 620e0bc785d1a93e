"""Ranges of one column, file by file: what is stored, what is there, and where both lie on one axis."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from tests.xtable_audit.conftest import TableOf
from xtable_audit.model.file_ranges import FILES, FileRanges
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.subject.case import Case
from xtable_audit.subject.file_ranges import ranges_of_planned, ranges_of_wrong

MICROS, UTC_MICROS = pa.timestamp("us"), pa.timestamp("us", tz="UTC")
Pair = tuple[Any, Any]


def case_of(table_of: TableOf, kind: pa.DataType, actual: list[Pair], stored: list[Pair] | None = None) -> Case:
    """The typed table with as many files as there are pairs, and nothing but a column of these extremes and bounds."""
    case = table_of("typed").case
    place = pa.array([0] * len(actual))

    def table(low: str, high: str, pairs: list[Pair]) -> pa.Table:
        lows, highs = zip(*pairs, strict=True)
        return pa.table({low: pa.array(lows, kind), high: pa.array(highs, kind)})

    files = case.stored.files.take(place)
    paths = pa.array([f"s3://b/t/{number:03}.parquet" for number in range(len(actual))])
    files = files.set_column(files.schema.get_field_index("path"), "path", paths)
    said = replace(case.stored, files=files, columns={"n": table("lower", "upper", stored or actual)})
    return replace(case, stored=said, actual=replace(case.actual, columns={"n": table("min", "max", actual)}))


def ranges(*of: Any, wrong: tuple[int, ...] = ()) -> FileRanges:
    made = ranges_of_wrong(case_of(*of), "n", wrong)
    assert made is not None
    return made


def asked(table_of: TableOf, predicate: Predicate, actual: list[Pair], kind: pa.DataType | None = None) -> Any:
    made = ranges_of_planned(case_of(table_of, kind or pa.int64(), actual), predicate, (), ())
    return made and made.asked and (made.asked.low_at, made.asked.high_at)


def test_a_file_has_its_stored_and_its_actual_range(table_of: TableOf) -> None:
    [file] = ranges(table_of, pa.int64(), [(1, 5)], [(0, 3)]).files
    assert (file.file, file.stored.low, file.stored.high, file.actual.low, file.actual.high) == (
        *("000.parquet", "0", "3"),
        *("1", "5"),
    )
    assert (file.stored.low_at, file.stored.high_at, file.actual.low_at, file.actual.high_at) == (0, 3, 1, 5)


def test_files_stand_by_their_smallest_value(table_of: TableOf) -> None:
    made = ranges(table_of, pa.int64(), [(7, 8), (1, 2), (4, 5)])
    assert [file.file for file in made.files] == ["001.parquet", "002.parquet", "000.parquet"]


def test_the_files_where_the_claim_fails_are_marked(table_of: TableOf) -> None:
    made = ranges(table_of, pa.int64(), [(1, 2), (3, 4)], wrong=(1,))
    assert [(file.file, file.wrong) for file in made.files] == [("000.parquet", False), ("001.parquet", True)]


def test_of_many_files_the_wrong_ones_are_kept(table_of: TableOf) -> None:
    number = FILES + 20
    made = ranges(table_of, pa.int64(), [(n, n) for n in range(number)], wrong=(number - 1,))
    assert (len(made.files), made.total, made.files[-1].wrong) == (FILES, number, True)


@pytest.mark.parametrize(
    ("kind", "value", "axis", "place"),
    [
        (pa.int64(), 7, "number", 7.0),
        (pa.float64(), 2.5, "number", 2.5),
        (pa.bool_(), True, "number", 1.0),
        (pa.decimal128(5, 2), Decimal("1.25"), "number", 1.25),
        (pa.time64("us"), dt.time(1, 0, 0, 500_000), "number", 3600.5),
        (pa.date32(), dt.date(1970, 1, 2), "time", 86_400.0),
        (MICROS, dt.datetime(1970, 1, 1, 0, 1), "time", 60.0),
        (UTC_MICROS, dt.datetime(1970, 1, 1, 0, 1, tzinfo=dt.UTC), "time", 60.0),
        (pa.string(), "a", "order", 0.0),
        (pa.binary(), b"\xff", "order", 0.0),
        (pa.float64(), float("inf"), "number", None),
        (pa.float64(), float("nan"), "number", None),
        (pa.int64(), None, "number", None),
    ],
    ids=str,
)
def test_a_value_has_a_place_on_the_axis_of_its_type(
    table_of: TableOf, kind: pa.DataType, value: Any, axis: str, place: float | None
) -> None:
    made = ranges(table_of, kind, [(value, value)])
    assert (made.axis, made.files[0].actual.low_at) == (axis, place)


def test_a_date_after_the_year_9999_has_a_place(table_of: TableOf) -> None:
    [file] = ranges(table_of, MICROS, [(10**18, 10**18)]).files
    assert file.actual.low_at == 10**12


def test_strings_stand_in_order_among_all_values(table_of: TableOf) -> None:
    made = ranges(table_of, pa.string(), [("a", "d")], [("b", "c")])
    [file] = made.files
    assert [file.actual.low_at, file.stored.low_at, file.stored.high_at, file.actual.high_at] == [0, 1, 2, 3]


def test_an_absent_bound_has_no_place(table_of: TableOf) -> None:
    [file] = ranges(table_of, pa.int64(), [(1, 2)], [(None, 2)]).files
    assert (file.stored.low, file.stored.low_at) == ("nothing", None)


def test_a_column_without_metrics_has_no_ranges(table_of: TableOf) -> None:
    assert ranges_of_wrong(case_of(table_of, pa.int64(), [(1, 2)]), "other", ()) is None


@pytest.mark.parametrize(
    ("predicate", "ends"),
    [
        (Compare("n", "=", 3), (3, 3)),
        (Compare("n", ">=", 3), (3, None)),
        (Compare("n", "<", 3), (None, 3)),
        (And(Compare("n", ">=", 2), Compare("n", "<", 3)), (2, 3)),
        (In("n", (4, 2)), (2, 4)),
    ],
    ids=str,
)
def test_a_predicate_asks_for_one_range(table_of: TableOf, predicate: Predicate, ends: Pair) -> None:
    assert asked(table_of, predicate, [(1, 5)]) == ends


@pytest.mark.parametrize(
    "predicate",
    [
        IsNull("n"),
        Compare("n", "!=", 3),
        In("n", (1, 2), negated=True),
        StartsWith("n", "a"),
        Or(Compare("n", "<", 1), Compare("n", ">", 2)),
        And(Compare("n", ">", 1), Compare("m", "<", 2)),
        And(Compare("n", ">", 1), IsNull("n")),
    ],
    ids=str,
)
def test_a_predicate_that_asks_for_no_one_range_is_not_drawn(table_of: TableOf, predicate: Predicate) -> None:
    assert ranges_of_planned(case_of(table_of, pa.int64(), [(1, 5)]), predicate, (), ()) is None


def test_what_a_predicate_asks_for_stands_among_the_strings(table_of: TableOf) -> None:
    assert asked(table_of, Compare("n", "=", "b"), [("a", "c")], pa.string()) == (1, 1)


def test_planned_and_matching_files_are_marked(table_of: TableOf) -> None:
    case = case_of(table_of, pa.int64(), [(1, 2), (3, 4)])
    planned, matching = case.stored.paths[:1], case.stored.paths[1:]
    made = ranges_of_planned(case, Compare("n", "=", 3), planned, matching)
    assert made is not None
    assert [(file.planned, file.matching) for file in made.files] == [(True, False), (False, True)]
