"""Predicates on every column, from each file's own values: which files planners drop by the metadata alone."""

import pytest

from fixtures.expect_pruning import ExpectPruning
from subjects.tables import ALL, Table, over
from xtable_audit.planning.planners import PLANNERS


@pytest.mark.parametrize("planner", PLANNERS)
@over(*ALL)
def test_no_matching_file_is_dropped(pruning: ExpectPruning, planner: str, table: Table) -> None:
    """Whatever the predicate, no file that holds a matching row is dropped."""
    pruning(table).drops_no_matching_file(planner)


@over(*ALL)
def test_planners_agree(pruning: ExpectPruning, planners: tuple[str, ...], table: Table) -> None:
    """The judge's planner, PyIceberg's and Iceberg Java's keep the same files."""
    pruning(table).keeps_the_same_files(planners)
