"""What ties each sync to the one before: the commit that was synced last."""

from __future__ import annotations

from collections.abc import Iterator

from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.needs import EARLIER_STATES, in_turn
from xtable_audit.claims.translation.history import SPEC, last_synced, when
from xtable_audit.model.claim import claim
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case, State
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import Synced


@claim(
    "a sync that changes the live files has come to another commit",
    needs=EARLIER_STATES,
    spec=SPEC,
    breaks=Verdict.FAILED_SILENTLY,
)
def last_commit_moves_on_with_the_files(case: Case) -> Iterator[Deviation]:
    """Else the next sync translates a commit once more."""
    for before, state, stored in came_through_after(case):
        was, now = last_synced(before), last_synced(stored)
        is_the_same = state.sync.kind == "incremental" and was == now
        if was is not None and is_the_same and sorted(before.paths) != sorted(stored.paths):
            saw = f"other files {when(state)}, and {commit_in_words(was)}"
            yield Deviation((), saw, "a later commit than before", whole=True)


def commit_in_words(one: Synced) -> str:
    return f"commit {one.identifier or one.time.isoformat()}"


def came_through_after(case: Case) -> Iterator[tuple[StoredMetrics, State, StoredMetrics]]:
    """Each sync that left a table, with the table before it."""
    for before, state in in_turn(case):
        if before is not None and state.stored is not None and state.sync.failure is None:
            yield before, state, state.stored
