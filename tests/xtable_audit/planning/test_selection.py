"""Listed ⊇ planned ⊇ matching on healthy tables: sets of files, and the judge's planner against PyIceberg's own."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyiceberg import expressions as ice
from pyiceberg.table import StaticTable
from pyiceberg.types import DecimalType, FixedType, PrimitiveType

from tests.tables.healthy import Table
from tests.tables.typed import TYPES, down, up
from tests.xtable_audit.conftest import TableOf
from xtable_audit.formats.iceberg.columns import type_of
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.planning.judge_planner import select
from xtable_audit.planning.planners import LiveFiles
from xtable_audit.planning.selection import judge_selections

ENTRIES = st.lists(st.tuples(st.sampled_from("abcdefghijkl"), st.booleans(), st.booleans()), max_size=20)
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
TEXT = ("string", "long_string", "place.city", "region")
COMPARISONS: dict[str, Any] = {
    "=": ice.EqualTo,
    "!=": ice.NotEqualTo,
    "<": ice.LessThan,
    "<=": ice.LessThanOrEqual,
    ">": ice.GreaterThan,
    ">=": ice.GreaterThanOrEqual,
}
TYPED = tuple("place.city" if name == "place" else name for name in TYPES)
COLUMNS = {
    "typed": TYPED,
    "good_layout-0.4.0-incubating": ("pickup_month", "tpep_pickup_datetime", "passenger_count", "store_and_fwd_flag"),
    "native_iceberg": ("pickup_month", "tpep_pickup_datetime", "passenger_count", "VendorID"),
}
drawn = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@cache
def values(table: Table, column: str) -> tuple[Any, ...]:
    """The files' extremes and what lies one unit beside them."""
    leaf = next(leaf for leaf in table.case.stored.leaves if leaf.path == column)
    actual = table.case.actual.columns[column]
    extremes = [v for v in (*actual["min"].to_pylist(), *actual["max"].to_pylist()) if v is not None]
    kind = type_of(leaf)
    beside = [step(v, kind) for v in extremes for step in (up, down) if _steps(v, kind)]
    return tuple(dict.fromkeys((*extremes, *beside)))


def _steps(value: Any, type: PrimitiveType) -> bool:
    """A decimal of more digits than its type, or bytes cut off a fixed value, are no values of the column."""
    digits = len(value.as_tuple().digits) if isinstance(value, Decimal) else 0
    return not (isinstance(type, FixedType) or (isinstance(type, DecimalType) and digits >= type.precision))


def predicates(table: Table, columns: tuple[str, ...], *, negations: bool) -> st.SearchStrategy[Predicate]:
    """One condition, or up to four joined by AND and OR."""
    one = st.sampled_from(columns).flatmap(lambda column: _conditions(table, column, negations))
    return st.recursive(one, lambda below: st.builds(And, below, below) | st.builds(Or, below, below), max_leaves=4)


def _conditions(table: Table, column: str, negations: bool) -> st.SearchStrategy[Predicate]:
    known = values(table, column)
    conditions: list[st.SearchStrategy[Predicate]] = [st.builds(IsNull, st.just(column), st.booleans())]
    if known:
        operators = st.sampled_from([o for o in OPERATORS if negations or o != "!="])
        negated = st.booleans() if negations else st.just(False)
        listed = st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True).map(tuple)
        conditions += [
            st.builds(Compare, st.just(column), operators, st.sampled_from(known)),
            st.builds(In, st.just(column), listed, negated),
        ]
    if column in TEXT:
        heads = st.sampled_from(known).flatmap(lambda word: st.integers(1, len(word)).map(lambda n: word[:n]))
        conditions.append(st.builds(StartsWith, st.just(column), heads))
    return st.one_of(conditions)


def to_pyiceberg(predicate: Predicate) -> ice.BooleanExpression:
    """The same predicate in PyIceberg's words."""
    match predicate:
        case And(left, right):
            return ice.And(to_pyiceberg(left), to_pyiceberg(right))
        case Or(left, right):
            return ice.Or(to_pyiceberg(left), to_pyiceberg(right))
        case Compare(column, operator, value):
            return _made(COMPARISONS[operator], column, value)
        case In(column, listed, negated):
            return _made(ice.NotIn if negated else ice.In, column, listed)
        case IsNull(column, negated):
            return _made(ice.NotNull if negated else ice.IsNull, column)
        case StartsWith(column, prefix):
            return _made(ice.StartsWith, column, prefix)
    raise TypeError(predicate)


def _made(kind: Any, *operands: Any) -> ice.BooleanExpression:
    """PyIceberg's classes take a column's name and plain values, though their signatures say otherwise."""
    made: ice.BooleanExpression = kind(*operands)
    return made


def planned(table: Table) -> StaticTable:
    return StaticTable.from_metadata(table.metadata_location, properties=table.mirror.pyiceberg)


# A set of live files is the set of their paths.


@given(entries=ENTRIES, others=st.frozensets(st.sampled_from("abxy")))
def test_it_combines_as_sets_of_paths_do(entries: list[tuple[str, bool, bool]], others: frozenset[str]) -> None:
    """With one of the same files, and with a set of others. A path may be listed twice."""
    files = LiveFiles.of(pa.chunked_array([[path for path, _, _ in entries]], pa.string()))
    masks = [np.array([entry[place] for entry in entries], dtype=bool) for place in (1, 2)]
    mine, theirs = (files.among(mask) for mask in masks)
    one, two = (frozenset(path for (path, *_), is_in in zip(entries, mask, strict=True) if is_in) for mask in masks)
    assert (len(mine), frozenset(mine), mine == theirs) == (len(one), one, one == two)
    assert (mine - theirs, others - mine, mine | others) == (one - two, others - one, one | others)
    assert (mine == one, one == mine, hash(mine) == hash(one)) == (True, True, True)


@given(entries=ENTRIES, of_other=st.permutations("abcdefghijkl"))
def test_sets_of_two_planners_compare_by_their_paths(
    entries: list[tuple[str, bool, bool]], of_other: list[str]
) -> None:
    """Each planner has a list of the live files of its own: the same one, in another order, or of other files."""
    paths = [path for path, _, _ in entries]
    masks = [np.array([entry[place] for entry in entries], dtype=bool) for place in (1, 2)]
    one, two = (frozenset(path for (path, *_), is_in in zip(entries, mask, strict=True) if is_in) for mask in masks)
    mine = LiveFiles.of(pa.chunked_array([paths], pa.string())).among(masks[0])
    again = LiveFiles.of(pa.chunked_array([paths], pa.string())).among(masks[1])
    other = LiveFiles.of(pa.chunked_array([of_other], pa.string())).among(np.array([path in two for path in of_other]))
    assert (mine == again, mine == other, again == other) == (one == two, one == two, True)


def test_what_is_no_live_file_is_not_in_it() -> None:
    files = LiveFiles.of(pa.chunked_array([["a"]]))
    assert [path in files.among(np.array([True])) for path in ("a", "b", None)] == [True, False, False]


# Listed ⊇ planned ⊇ matching on healthy tables, and the judge's planner against PyIceberg's own.


@pytest.mark.parametrize("id", COLUMNS)
@settings(drawn, max_examples=40)
@given(data=st.data())
def test_every_matching_file_is_planned(table_of: TableOf, id: str, data: st.DataObject) -> None:
    table = table_of(id)
    predicate = data.draw(predicates(table, COLUMNS[id], negations=True), "predicate")
    [seen] = judge_selections(table.mirror.objects, table.case, [predicate])
    assert seen.live >= seen.planned >= seen.matching


@pytest.mark.parametrize("id", COLUMNS)
@settings(drawn, max_examples=50)
@given(data=st.data())
def test_selection_is_pyicebergs(table_of: TableOf, id: str, data: st.DataObject) -> None:
    table = table_of(id)
    predicate = data.draw(predicates(table, COLUMNS[id], negations=False), "predicate")
    kept = np.flatnonzero(select(table.case.stored, predicate))
    tasks = planned(table).scan(row_filter=to_pyiceberg(predicate)).plan_files()
    assert {table.case.stored.paths[i] for i in kept} == {task.file.file_path for task in tasks}


@settings(drawn, max_examples=40)
@given(data=st.data())
def test_selection_with_negations_is_within_pyicebergs(table_of: TableOf, data: st.DataObject) -> None:
    """PyIceberg keeps a file of nulls for `!=` and `NOT IN`, though in SQL no null is unequal to anything."""
    table = table_of("typed")
    predicate = data.draw(predicates(table, TYPED, negations=True), "predicate")
    kept = np.flatnonzero(select(table.case.stored, predicate))
    tasks = planned(table).scan(row_filter=to_pyiceberg(predicate)).plan_files()
    assert {table.case.stored.paths[i] for i in kept} <= {task.file.file_path for task in tasks}
