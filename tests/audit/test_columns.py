"""A finding names all the columns that deviate, and a known one is known in its own columns alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from tests.audit.conftest import TableOf
from tests.audit.draft import Draft
from xtable_audit.claims.bounds import bounds_contain_values
from xtable_audit.judge.table_findings import judge_table
from xtable_audit.model.finding import Blame, Finding, Verdict
from xtable_audit.model.predicate import And, Compare, Predicate
from xtable_audit.planning.pruning_trial import Loss, Question, columns_lost
from xtable_audit.register.entry import Kind, Where

BELOW_ALL = {"int": -1_000_000, "double": -1e300}


@pytest.fixture
def spoilt(table_of: TableOf, tmp_path: Path, request: pytest.FixtureRequest) -> Finding:
    """What is found on a healthy table where the upper bounds of these columns are far too low."""
    draft = Draft.of(table_of("typed"), tmp_path)
    for column in request.param:
        draft.put(0, "upper_bounds", column, BELOW_ALL[column])
    finding = judge_table(bounds_contain_values, draft.case(), (Blame.XTABLE, "it was spoilt")).finding
    assert finding is not None
    return finding


KNOWN = Where(
    claims=(bounds_contain_values.id,),
    subjects=("typed",),
    component="xtable",
    releases=SpecifierSet(),
    verdict=Verdict.UNSOUND,
    kind=Kind.VIOLATION,
    blame=Blame.XTABLE,
    columns=("int",),
)


@pytest.mark.parametrize(
    ("spoilt", "columns", "known"),
    [(["int"], ("int",), True), (["double"], ("double",), False), (["int", "double"], ("double", "int"), False)],
    indirect=["spoilt"],
    ids=["the known column", "another column of the same table", "another column beside it"],
)
def test_the_same_fault_in_another_column_is_a_new_finding(
    spoilt: Finding, columns: tuple[str, ...], known: bool
) -> None:
    assert (spoilt.columns, KNOWN.describes(spoilt)) == (columns, known)


def lost(column: str, predicate: Predicate) -> Loss:
    return Loss(Question(predicate, column, {"a": 1}), frozenset({"a"}))


ONE, TEXT = Compare("i", "=", 1), Compare("s", "=", "a")
LOSSES = {
    "each alone": ([lost("i", ONE), lost("s", TEXT)], ("i", "s")),
    "two columns, of which one loses alone": ([lost("i", ONE), lost("s", And(TEXT, ONE))], ("i",)),
    "two columns together": ([lost("s", And(TEXT, ONE))], ("s",)),
}


@pytest.mark.parametrize(("losses", "columns"), LOSSES.values(), ids=LOSSES.keys())
def test_a_predicate_on_two_columns_does_not_blame_a_healthy_one(losses: list[Loss], columns: tuple[str, ...]) -> None:
    assert columns_lost(losses) == columns
