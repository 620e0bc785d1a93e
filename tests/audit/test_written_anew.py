"""A file of the source that is written anew under its name, as in a folder of Parquet files: its older states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from tests.audit.conftest import DraftOf
from tests.audit.draft import Draft
from tests.audit.faults_of_history import leaving, state, with_metric
from tests.audit.healthy_history import FIRST, SECOND
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.claims.translation import history, states
from xtable_audit.subject.case import Case, State

Spoil = Callable[[Draft], None]
SPOILT: dict[str, tuple[int, TableClaim, Spoil]] = {
    "rows": (SECOND, history.rows_are_as_many_after_a_sync, state(SECOND, lambda one: replace(one, rows=7))),
    "bounds": (
        FIRST,
        states.bounds_contain_values_after_a_sync,
        leaving(FIRST, partial(with_metric, column="int", name="lower", place=0, value=1000)),
    ),
}
"""What is wrong after which sync, and the claim that says so."""


def smaller_then(one: State) -> State:
    """The first file had other bytes at that time."""
    path = min(one.base_files)
    return replace(one, base_files={**one.base_files, path: one.base_files[path] + 1})


def deviations(draft: Draft, claim: TableClaim) -> int:
    case: Case = draft.case()
    return len(claim.deviations(case)) if claim.lacks(case) is None else 0


@pytest.mark.parametrize(("sync", "claim", "spoil"), SPOILT.values(), ids=SPOILT)
@pytest.mark.parametrize("anew", [False, True], ids=["the same today", "written anew since"])
def test_an_older_state_is_not_judged_by_what_a_file_holds_today(
    sync: int, claim: TableClaim, spoil: Spoil, anew: bool, draft_of: DraftOf
) -> None:
    draft = draft_of("history")
    spoil(draft)
    if anew:
        state(sync, smaller_then)(draft)
    assert deviations(draft, claim) == (0 if anew else 1)


def test_what_is_not_compared_is_named(draft_of: DraftOf) -> None:
    draft = draft_of("history")
    spoil = SPOILT["bounds"][2]
    spoil(draft)
    state(FIRST, smaller_then)(draft)
    [aside] = draft.case().earlier[0].set_aside
    assert "the file has been written anew since" in aside.reason
