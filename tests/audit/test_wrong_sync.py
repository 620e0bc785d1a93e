"""Which of two syncs is wrong, and what is no fault of either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.audit.conftest import TableOf
from tests.audit.faults_of_history import listing
from tests.audit.healthy_history import FAILED, FIRST, FULL
from xtable_audit.claims.translation.history import (
    failure_leaves_the_table_as_it_was,
    incremental_equals_full,
    success_leaves_a_table,
)
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case

ALL, TWO = (0, 1, 2), (0, 1)


def left(table_of: TableOf, incremental: Sequence[int], full: Sequence[int]) -> Case:
    """The history, with these files left by its last incremental sync and by the full one."""
    case = table_of("history").case
    history = list(case.history)
    stored = history[FULL].stored
    assert stored is not None
    history[FULL] = replace(history[FULL], stored=listing(stored, list(full)))
    judged = case.stored if tuple(incremental) == ALL else listing(case.stored, list(incremental))
    return replace(case, stored=judged, history=tuple(history))


@pytest.mark.parametrize(
    ("incremental", "full", "verdict", "saw"),
    [
        pytest.param(TWO, ALL, Verdict.UNSOUND, "after incremental syncs, which are wrong", id="the incremental ones"),
        pytest.param(ALL, TWO, Verdict.UNSOUND, "(full sync), which is wrong", id="the full one"),
        pytest.param((0,), TWO, Verdict.UNSOUND, "after incremental syncs, and neither is right", id="both"),
    ],
)
def test_the_sources_files_show_which_sync_is_wrong(
    table_of: TableOf, incremental: Sequence[int], full: Sequence[int], verdict: Verdict, saw: str
) -> None:
    [found] = incremental_equals_full.deviations(left(table_of, incremental, full))
    assert (found.verdict, found.saw.endswith(saw)) == (verdict, True), found.saw


def test_a_snapshot_that_was_expired_may_be_gone(table_of: TableOf) -> None:
    """And one that was not, may not."""
    case = table_of("history").case
    for claim, number in ((success_leaves_a_table, FIRST), (failure_leaves_the_table_as_it_was, FAILED)):
        for expired in (True, False):
            history = list(case.history)
            history[number] = replace(history[number], stored=None, expired=expired)
            assert bool(claim.deviations(replace(case, history=tuple(history)))) is not expired
