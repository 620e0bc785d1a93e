"""Claims about readers: rows that a grid of predicates finds, record counts, and the newest metadata."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyiceberg.table import StaticTable

from tests.of_each import of_each
from tests.tables.healthy import judged
from tests.tables.typed import TYPES
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.conftest import DraftOf, TableOf
from xtable_audit.claims.counts import record_counts_are_exact
from xtable_audit.claims.readers.reading import Reread, newest_metadata_is_read
from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.finding import Verdict
from xtable_audit.model.planner import JUDGE
from xtable_audit.model.predicate import Compare, In, IsNull
from xtable_audit.planning import pruning_trial
from xtable_audit.planning.grid import EACH, ColumnLiterals, grid, in_python, literals
from xtable_audit.planning.planners import judges
from xtable_audit.planning.pruning_trial import try_planner, whole_grid
from xtable_audit.planning.selection import judge_selections

LIVE = frozenset({"s3://lake/a.parquet"})
ROWS = 40
COLUMNS = tuple("place.city" if name == "place" else name for name in TYPES)
BESIDE = "long"


def asked(rows: int | None, error: str | None = None) -> Any:
    """A reader that counts so many rows of a table of ROWS, which had other metadata before."""
    one = SimpleNamespace(actual=SimpleNamespace(rows_total=ROWS, live=LIVE))
    return SimpleNamespace(asked=(one,), reread=lambda: Reread("v1.metadata.json", rows, error))


# A wrong `record_count` is a wrong answer to those who count rows by it.


@pytest.mark.parametrize("more", [1, -1])
def test_pyiceberg_counts_the_rows_that_the_metadata_claims(draft_of: DraftOf, more: int) -> None:
    """`scan().count()` adds up record counts of files that match as a whole; `to_arrow()` reads them."""
    draft = draft_of("typed")
    mutate.set_field("record_count", lambda rows: rows + more)(draft, 1)
    scan = StaticTable.from_metadata(draft.table.metadata_location, draft.mirror.pyiceberg).scan()
    assert scan.count() == scan.to_arrow().num_rows + more
    assert record_counts_are_exact.breaks is Verdict.UNSOUND
    assert record_counts_are_exact.deviations(draft.case())


# A reader that returns nothing of the newest metadata fails in another way than one that returns older rows.


@pytest.mark.parametrize(
    ("rows", "error", "kind"),
    [(0, None, DeviationKind.NO_ROWS), (10, None, ""), (None, "refused", "")],
    ids=["none", "those of before", "an error"],
)
def test_how_the_newest_metadata_is_not_read(rows: int | None, error: str | None, kind: str) -> None:
    assert [one.kind for one in newest_metadata_is_read.check(asked(rows, error))] == [kind]


def test_a_reader_of_the_newest_metadata_returns_every_row() -> None:
    assert list(newest_metadata_is_read.check(asked(ROWS))) == []


# The grid has predicates on every side of a column's values, none that its type cannot hold; false bounds fail it.


@of_each("column", COLUMNS)
def test_no_needed_file_of_a_healthy_table_is_lost(table_of: TableOf, column: str) -> None:
    table = table_of("typed")
    seen = judge_selections(table.mirror.objects, table.case, grid(table.case, column, BESIDE))
    assert [one.predicate for one in seen if one.matching - one.planned] == []


@of_each("column", COLUMNS)
def test_null_and_not_null_are_in_the_grid(table_of: TableOf, column: str) -> None:
    predicates = grid(table_of("typed").case, column, BESIDE)
    assert {IsNull(column), IsNull(column, negated=True)} <= set(predicates)


@pytest.mark.parametrize("operator", ["=", "!=", "<", "<=", ">", ">="])
def test_every_comparison_is_in_the_grid(table_of: TableOf, operator: str) -> None:
    predicates = grid(table_of("typed").case, "double", BESIDE)
    assert any(isinstance(one, Compare) and one.operator == operator for one in predicates)


@pytest.mark.parametrize("negated", [False, True], ids=["in", "not in"])
def test_lists_are_in_the_grid(table_of: TableOf, negated: bool) -> None:
    predicates = grid(table_of("typed").case, "string", BESIDE)
    assert any(isinstance(one, In) and one.negated is negated for one in predicates)


@pytest.mark.parametrize("wanted", ["none", "some", "all"])
def test_some_predicates_match_no_file_some_a_few_and_some_all(table_of: TableOf, wanted: str) -> None:
    table = table_of("typed")
    seen = judge_selections(table.mirror.objects, table.case, grid(table.case, "double", BESIDE))
    shares = {"none" if not s.matching else "all" if s.matching == s.live else "some" for s in seen}
    assert wanted in shares


@pytest.mark.parametrize("side", ["lower_bounds", "upper_bounds"])
@pytest.mark.parametrize("column", ["long", "double", "string", "date"])
def test_a_bound_that_is_too_narrow_loses_a_file(table_of: TableOf, draft_of: DraftOf, side: str, column: str) -> None:
    """The grid's proof the other way: one bound past its file's values is seen by some predicate."""
    table, draft = table_of("typed"), draft_of("typed")
    other = "max" if side == "lower_bounds" else "min"
    for place in range(len(table.case.stored.paths)):
        draft.put(place, side, column, table.case.actual.columns[column][other][place].as_py())
    spoilt = judged(draft.table, draft.mirror, table.case.actual)
    seen = judge_selections(draft.mirror.objects, spoilt, grid(spoilt, column, BESIDE))
    assert any(one.matching - one.planned for one in seen)


DAYS = st.integers(-800_000, 3_000_000)

OF_KIND: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "double": (pa.float64(), st.sampled_from([-math.inf, -1.0, -0.0, 0.0, 2.0, math.inf])),
    "string": (pa.string(), st.text("aé\U0010ffff", max_size=2)),
    "date": (pa.date32(), DAYS),
    "timestamp": (pa.timestamp("us"), DAYS.map(lambda days: days * 86_400_000_000)),
    "timestamptz": (pa.timestamp("us", "UTC"), DAYS.map(lambda days: days * 86_400_000_000)),
    "boolean": (pa.bool_(), st.booleans()),
}


@pytest.mark.parametrize("kind", OF_KIND)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_literals_are_of_the_sorted_distinct_values_of_python(
    table_of: TableOf, kind: str, data: st.DataObject
) -> None:
    """Those outside its calendar are left out."""
    arrow, value = OF_KIND[kind]
    pairs = data.draw(st.lists(st.tuples(st.none() | value, st.none() | value), min_size=1, max_size=60))
    sides = [pa.array(side, arrow) for side in zip(*pairs, strict=True)]
    case = table_of("typed").case
    columns = {"n": pa.table({"min": sides[0], "max": sides[1]})}
    found = literals(replace(case, actual=replace(case.actual, columns=columns)), "n")
    slow = sorted({one for side in sides for scalar in side.drop_null() for one in in_python(scalar)})
    assert repr(found) == repr(_of(slow) if slow else None)


def _of(values: list[Any]) -> ColumnLiterals:
    number = len(values)
    spread = tuple(values[:: math.ceil(number / EACH)])
    return ColumnLiterals(values[0], values[number // 4], values[number // 2], values[-1], spread)


@pytest.mark.parametrize(("name", "most", "counted"), [("MOST_FILES", 2, 2), ("MOST_PLANS", 1, 3)])
def test_of_a_large_table_some_files_are_read_and_some_predicates_tried(
    table_of: TableOf, monkeypatch: pytest.MonkeyPatch, name: str, most: int, counted: int
) -> None:
    table = table_of("typed")
    every = whole_grid(table.mirror.objects, table.case)
    assert len(every[0].matches) == 3
    monkeypatch.setattr(pruning_trial, name, most)
    some = whole_grid(table.mirror.objects, table.case)
    assert {len(one.matches) for one in some} == {counted}
    assert len(some) == (len(every) if name == "MOST_FILES" else pruning_trial.LEAST_PREDICATES)
    trial = try_planner(table.case, some, JUDGE, judges(table.case.stored))
    assert (trial.files_read, trial.losses) == (counted, ())
