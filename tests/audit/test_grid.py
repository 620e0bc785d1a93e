"""The grid has predicates on every side of a column's values, none that its type cannot hold; false bounds fail it."""

from __future__ import annotations

import pytest

from tests.audit.conftest import DraftOf, TableOf
from tests.audit.healthy import judged
from tests.audit.typed import TYPES
from xtable_audit.model.predicate import Compare, In, IsNull
from xtable_audit.planning.grid import grid
from xtable_audit.planning.selection import judge_selections

COLUMNS = tuple("place.city" if name == "place" else name for name in TYPES)
BESIDE = "long"


@pytest.mark.parametrize("column", COLUMNS)
def test_no_needed_file_of_a_healthy_table_is_lost(table_of: TableOf, column: str) -> None:
    table = table_of("typed")
    seen = judge_selections(table.mirror.objects, table.case, grid(table.case, column, BESIDE))
    assert [one.predicate for one in seen if one.matching - one.planned] == []


@pytest.mark.parametrize("column", COLUMNS)
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
