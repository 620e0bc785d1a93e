"""Rows compared as multisets, and the metadata of the same rows written twice."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.of_each import of_each
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.conftest import DraftOf, TableOf
from xtable_audit.claims.translation.paired_tables import NoTwins, Pair, both_ways_say_the_same
from xtable_audit.subject.case import Case
from xtable_audit.values.value_codes import compare, numbered

ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.integers(0, 2)), max_size=12)
Row = tuple[str, int | None]


def reversed_files(case: Case) -> Case:
    """The same files in another order, as another table lists them."""
    order = list(range(len(case.stored.paths)))[::-1]
    stored = replace(
        case.stored,
        files=case.stored.files.take(order),
        columns={name: table.take(order) for name, table in case.stored.columns.items()},
    )
    return replace(case, id="other", stored=stored, actual=case.actual.take(order))


# Rows compared as multisets, against a naive count in pure Python.


@given(ours=ROWS, theirs=ROWS)
def test_whole_rows_are_compared_as_multisets(ours: list[Row], theirs: list[Row]) -> None:
    found = _compared(ours, theirs, "kv")
    assert Counter(theirs[row] for row in found.missing) == Counter(theirs) - Counter(ours)
    surplus = Counter(ours) - Counter(theirs)
    assert Counter(ours[row] for row in [*found.foreign, *found.surplus]) == surplus
    assert all(ours[row] not in theirs for row in found.foreign)
    assert len(found.unlike[0]) == 0


@given(ours=ROWS, theirs=ROWS)
def test_rows_of_one_key_are_paired_or_counted(ours: list[Row], theirs: list[Row]) -> None:
    found = _compared(ours, theirs, "k")
    have, need = (Counter(key for key, _ in rows) for rows in (ours, theirs))
    assert Counter(theirs[row][0] for row in found.missing) == need - have
    assert Counter(ours[row][0] for row in [*found.foreign, *found.surplus]) == have - need
    for one, other in zip(*found.unlike, strict=True):
        assert ours[one][0] == theirs[other][0]
        assert ours[one] != theirs[other]
    equal = sum((Counter(ours) & Counter(theirs)).values())
    assert len(found.unlike[0]) == sum((have & need).values()) - equal


def _compared(ours: list[Row], theirs: list[Row], key: str) -> Any:
    def column(rows: list[Row], place: int) -> pa.Array:
        return pa.array([row[place] for row in rows], (pa.string(), pa.int64())[place])

    columns = {name: numbered(column(ours, place), column(theirs, place)) for place, name in enumerate("kv")}
    return compare(columns, list(key))


DAY = dt.datetime(2024, 1, 1)

MAP = pa.map_(pa.string(), pa.int64())

SAME = {
    "null": (pa.array([None], pa.int32()), pa.array([None], pa.string())),
    "NaN": (pa.array([math.nan]), pa.array([math.nan], pa.float32())),
    "zeros": (pa.array([-0.0]), pa.array([0.0])),
    "int and long": (pa.array([7], pa.int32()), pa.array([7], pa.int64())),
    "decimals": (pa.array([Decimal("1.10")]), pa.array([Decimal("1.1000")], pa.decimal128(38, 4))),
    "millis and micros": (pa.array([DAY], pa.timestamp("ms")), pa.array([DAY], pa.timestamp("us"))),
    "zones": (pa.array([DAY], pa.timestamp("us", "Asia/Tokyo")), pa.array([DAY], pa.timestamp("ns", "UTC"))),
    "dates": (pa.array([DAY.date()], pa.date32()), pa.array([DAY.date()], pa.date64())),
    "dictionary": (pa.array(["a"]).dictionary_encode(), pa.array(["a"], pa.large_string())),
    "fixed and binary": (pa.array([b"ab"], pa.binary(2)), pa.array([b"ab"])),
    "structs": (pa.array([{"a": 1, "b": None}]), pa.array([{"b": None, "a": 1}])),
    "null struct": (pa.array([None], pa.struct([("a", pa.int32())])), pa.array([None], pa.struct([("a", pa.int64())]))),
    "lists": (pa.array([[1, None]]), pa.array([[1, None]], pa.large_list(pa.int32()))),
    "maps": (pa.array([[("a", 1)]], MAP), pa.array([[("a", 1)]], MAP)),
    "lists of structs": (pa.array([[{"a": [1]}]]), pa.array([[{"a": [1]}]])),
}

OTHER = {
    "null and empty": (pa.array([None], pa.string()), pa.array([""])),
    "null and empty list": (pa.array([None], pa.list_(pa.int64())), pa.array([[]], pa.list_(pa.int64()))),
    "null and struct of null": (
        pa.array([None], pa.struct([("a", pa.int32())])),
        pa.array([{"a": None}], pa.struct([("a", pa.int32())])),
    ),
    "number and text": (pa.array([1]), pa.array(["1"])),
    "decimals": (pa.array([Decimal("1.10")]), pa.array([Decimal("1.1001")])),
    "micros": (pa.array([1], pa.timestamp("us")), pa.array([0], pa.timestamp("ms"))),
    "orders of a list": (pa.array([[1, 2]]), pa.array([[2, 1]])),
    "lists of one text": (pa.array([["1,2"]]), pa.array([["1", "2"]])),
    "maps": (pa.array([[("a", 1)]], MAP), pa.array([[("a", 2)]], MAP)),
    "structs of other fields": (pa.array([{"a": 1}]), pa.array([{"b": 1}])),
}


@of_each("pair", SAME.values(), ids=SAME.keys())
def test_same_value_in_another_type_is_the_same(pair: tuple[pa.Array, pa.Array]) -> None:
    ours, theirs = numbered(*pair)
    assert ours.tolist() == theirs.tolist()


@of_each("pair", OTHER.values(), ids=OTHER.keys())
def test_other_value_is_another(pair: tuple[pa.Array, pa.Array]) -> None:
    ours, theirs = numbered(*pair)
    assert ours.tolist() != theirs.tolist()


def test_rows_that_share_a_key_are_paired_by_likeness() -> None:
    """Or a column that is right would be blamed."""
    columns = {
        name: numbered(pa.array(ours), pa.array(theirs))
        for name, ours, theirs in [
            ("key", ["k", "k"], ["k", "k"]),
            ("right", ["a", "b"], ["b", "a"]),
            ("also right", [1, 2], [2, 1]),
            ("wrong", [10, 20], [11, 21]),
        ]
    }
    ours, theirs = compare(columns, ["key"]).unlike
    assert {name for name, (left, right) in columns.items() if (left[ours] != right[theirs]).any()} == {"wrong"}


# The same rows written twice: a bound or a null count that differs is reported, an equal one is not.


def test_twins_in_another_order_agree(table_of: TableOf) -> None:
    case = table_of("typed").case
    assert list(both_ways_say_the_same.check(Pair(case, reversed_files(case)))) == []


@pytest.mark.parametrize("fault", [mutate.lower_lower, mutate.raise_upper])
def test_a_bound_that_differs_is_reported_with_its_file_and_column(
    fault: mutate.OfColumn, table_of: TableOf, draft_of: DraftOf
) -> None:
    draft = draft_of("typed")
    fault(draft, 1, "int")
    (found,) = both_ways_say_the_same.check(Pair(draft.case(), reversed_files(table_of("typed").case)))
    assert (found.places, found.column) == ((1,), "int")


def test_a_missing_bound_is_reported(table_of: TableOf, draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    draft.put(0, "lower_bounds", "int", None)
    (found,) = both_ways_say_the_same.check(Pair(draft.case(), reversed_files(table_of("typed").case)))
    assert (found.places, found.saw, found.column) == ((0,), "lower nothing", "int")


def test_tables_of_other_rows_are_no_twins(table_of: TableOf) -> None:
    case = table_of("typed").case
    with pytest.raises(NoTwins):
        list(both_ways_say_the_same.check(Pair(case, replace(case, actual=case.actual.take([0, 0, 1])))))
