"""The table after each sync of its history, against the source at that time and against other syncs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from xtable_audit.claims.deviation import Deviation, TableClaim
from xtable_audit.claims.needs import (
    EARLIER_ROWS,
    EARLIER_SNAPSHOT_ROWS,
    EARLIER_STATES,
    FAILURES,
    FULL,
    IDLE,
    SOURCE,
    SUCCESSES,
    WATCHED,
    by_this_release,
    came_through,
    in_turn,
)
from xtable_audit.claims.translation import files
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.model.target_rules import TargetRules
from xtable_audit.subject.case import Case, State
from xtable_audit.table.changes import StateChange, changes
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import Synced

SPEC = "what a sync that comes through leaves is the source of that time; one that fails leaves what was there"


@dataclass(frozen=True)
class History:
    """A table whose syncs should all succeed."""

    case: Case

    @property
    def rules(self) -> TargetRules:
        return self.case.rules


def first_failure(history: History) -> State | None:
    """The first sync that fails without reporting it; if there is none, the first that fails."""
    failed = [state for state in by_this_release(history.case) if state.sync.failure is not None]
    return min(failed, key=lambda state: not state.sync.silent, default=None)


SYNCS = Need[History]("a sync by the release under audit", lambda history: len(by_this_release(history.case)))


@claim(
    "every sync of the table's history comes through",
    needs=SYNCS,
    spec=SPEC,
    breaks=Verdict.UNREADABLE,
)
def every_sync_comes_through(history: History) -> Iterator[Deviation]:
    """FAILED_SILENTLY if the sync does not report the failure."""
    first = first_failure(history)
    if first is not None:
        states = by_this_release(history.case)
        failed = sum(state.sync.failure is not None for state in states)
        saw = f"{first.sync.failure} after {first.after} ({failed} of {many(len(states), 'sync')} fail)"
        verdict = Verdict.FAILED_SILENTLY if first.sync.silent else None
        every = tuple(range(history.case.stored.files.num_rows))
        yield Deviation(every, saw, "a sync that comes through", verdict=verdict, whole=True)


@claim(
    "after every sync, each latest base file of the source is live",
    needs=(SOURCE, EARLIER_STATES),
    spec=SPEC,
    breaks=Verdict.UNSOUND,
)
def no_file_is_missing_after_a_sync(case: Case) -> Iterator[Deviation]:
    yield from _after_each(case, files.no_file_is_missing)


@claim(
    "after every sync, each live file is a latest base file of the source",
    needs=(SOURCE, EARLIER_STATES),
    spec=SPEC,
    breaks=Verdict.STALE,
)
def no_file_is_stale_after_a_sync(case: Case) -> Iterator[Deviation]:
    yield from _after_each(case, files.no_file_is_stale)


@claim("after every sync, each live file is listed once", needs=EARLIER_STATES, spec=SPEC, breaks=Verdict.DUPLICATE)
def no_file_is_listed_twice_after_a_sync(case: Case) -> Iterator[Deviation]:
    yield from _after_each(case, files.no_file_is_listed_twice)


@claim(
    "after every sync, there are as many rows as the source shows", needs=EARLIER_ROWS, spec=SPEC, breaks=Verdict.STALE
)
def rows_are_as_many_after_a_sync(case: Case) -> Iterator[Deviation]:
    """A MERGE_ON_READ source shows those of its read-optimized view, the one that XTable documents to translate.

    Skips syncs with row-level deletes, where file counts do not give the number of live rows. UNREADABLE if the rows
    that are too many are in files that are not there: readers raise.
    """
    for state, rows, nowhere in _rows_after_each(case):
        if state.rows is not None and rows != state.rows:
            view = "the source" if state.snapshot_rows is None else "the read-optimized view of the source"
            verdict = Verdict.UNREADABLE if nowhere and rows - nowhere == state.rows else None
            yield Deviation((), f"{many(rows, 'row')} {when(state)}", f"{state.rows}, by {view}", verdict=verdict)


@claim(
    "after every sync, there are as many rows as the snapshot view of a MERGE_ON_READ source shows",
    needs=EARLIER_SNAPSHOT_ROWS,
    spec="a MERGE_ON_READ table is what its base files and its log files hold together",
    breaks=Verdict.STALE,
)
def rows_are_those_of_the_snapshot_view(case: Case) -> Iterator[Deviation]:
    """XTable documents that it translates the read-optimized view alone: what fails here is that limit.

    Where the rows are those of neither view, `rows_are_as_many_after_a_sync` fails instead.
    """
    for state, rows, _ in _rows_after_each(case):
        if state.snapshot_rows is not None and rows != state.snapshot_rows and rows == state.rows:
            saw = f"{many(rows, 'row')} {when(state)}, as in its read-optimized view"
            yield Deviation((), saw, f"{state.snapshot_rows}, by the snapshot view of the source")


@claim(
    "a sync that came through leaves a table that can be read",
    needs=SUCCESSES,
    spec=SPEC,
    breaks=Verdict.FAILED_SILENTLY,
)
def success_leaves_a_table(case: Case) -> Iterator[Deviation]:
    for state in case.history:
        if state.sync.failure is None and state.stored is None and not state.expired:
            yield Deviation((), f"no metadata, or none that can be read, {when(state)}", "a table, as the sync says")


@claim("a sync that failed leaves the table as it was", needs=FAILURES, spec=SPEC, breaks=Verdict.FAILED_SILENTLY)
def failure_leaves_the_table_as_it_was(case: Case) -> Iterator[Deviation]:
    """UNREADABLE if the table can no longer be read. A first sync that fails must leave no table."""
    for before, state in in_turn(case):
        if state.sync.failure is None:
            continue
        if before is None and state.stored is not None:
            saw = f"a table of {many(len(state.stored.paths), 'file')} {when(state)}, which failed"
            yield Deviation((), saw, "none, as before")
        if before is not None and state.stored is None and not state.expired:
            saw = f"no metadata that can be read {when(state)}, which failed"
            yield Deviation((), saw, "the table as it was", verdict=Verdict.UNREADABLE)
        if before is not None and state.stored is not None:
            yield from _changed(case, state, changes(before, state.stored))


@claim(
    "a sync that failed does not count as the last one",
    needs=FAILURES,
    spec=SPEC,
    breaks=Verdict.FAILED_SILENTLY,
)
def failure_keeps_the_last_instant(case: Case) -> Iterator[Deviation]:
    """Else the next sync begins after commits that are not in the table, and reports success without them."""
    for before, state in in_turn(case):
        if state.sync.failure is not None and before is not None and state.stored is not None:
            was, now = _last_instant(before), _last_instant(state.stored)
            if now is not None and was is not None and now > was:
                yield Deviation((), f"last instant {now} {when(state)}, which failed", f"{was}, as before")


@claim("a sync without new commits changes nothing", needs=IDLE, spec=SPEC, breaks=Verdict.FAILED_SILENTLY)
def idle_sync_changes_nothing(case: Case) -> Iterator[Deviation]:
    """COSMETIC for a new snapshot of the same content."""
    for before, state in in_turn(case):
        if state.sync.kind == "idle" and state.sync.failure is None and before is not None and state.stored is not None:
            yield from _changed(case, state, changes(before, state.stored))
            if before.native.state != state.stored.native.state:
                snapshot = case.rules.term("snapshot")
                saw = f"a new {snapshot} {when(state)}"
                yield Deviation((), saw, f"the {snapshot} of before", verdict=Verdict.COSMETIC, whole=True)


@claim(
    "a sync adds, changes and deletes nothing of its source",
    needs=WATCHED,
    spec="a translator writes below the table's folder metadata alone: the rest is its source's",
    breaks=Verdict.UNSOUND,
)
def sync_leaves_the_source_as_it_was(case: Case) -> Iterator[Deviation]:
    """COSMETIC if it only adds objects."""
    for state in case.history:
        touched = state.sync.touched or ()
        if touched:
            harmless = all(one.act == "added" for one in touched)
            more = f" and {len(touched) - 1} more" if len(touched) > 1 else ""
            verdict = Verdict.COSMETIC if harmless else None
            yield Deviation((), f"{touched[0]}{more} {when(state)}", "the source as it was", verdict=verdict)


@claim("incremental syncs leave what one full sync leaves", needs=FULL, spec=SPEC, breaks=Verdict.FAILED_SILENTLY)
def incremental_equals_full(case: Case) -> Iterator[Deviation]:
    """The source's latest base files decide which of the two is wrong. If they do not, the incremental syncs are.

    STALE instead of UNSOUND if the last incremental sync failed: the translator says then that the table is late.
    UNREADABLE for files too many that are not there: readers raise.
    """
    for state in case.history:
        if state.sync.kind == "full" and state.sync.failure is None and state.stored is not None:
            step_by_step, at_once = _is_the_sources(case, case.stored), _is_the_sources(case, state.stored)
            if step_by_step and not at_once:
                for change in changes(case.stored, state.stored):
                    saw = f"{change.now} {when(state)}, which is wrong"
                    yield _deviation(case, change, saw, f"{change.was} after incremental syncs, as in the source")
                continue
            which_is_right = "" if step_by_step else ", which are wrong" if at_once else ", and neither is right"
            for change in changes(state.stored, case.stored):
                saw = f"{change.now} after incremental syncs{which_is_right}"
                if case.behind and change.verdict is Verdict.UNSOUND:
                    change = replace(change, verdict=Verdict.STALE)
                if change.verdict is Verdict.STALE and change.files and {*change.files} <= case.without_object:
                    change = replace(change, verdict=Verdict.UNREADABLE)
                yield _deviation(case, change, saw, f"{change.was} {when(state)}")


@claim("the last instant that was synced never goes back", needs=SUCCESSES, spec=SPEC, breaks=Verdict.FAILED_SILENTLY)
def last_instant_never_goes_back(case: Case) -> Iterator[Deviation]:
    """The table property XTABLE_METADATA holds the instant from which the next sync continues. Without it, the sync
    starts over. Where the source itself was rolled back, its older instant is right.
    """
    last = None
    for state in case.history:
        if state.sync.failure is None and state.stored is not None:
            instant = _last_instant(state.stored)
            last = None if state.rolled_back else last
            if instant is None or (last is not None and instant < last):
                yield Deviation((), f"{instant or 'no instant'} {when(state)}", f"{last or 'an instant'} or later")
            last = max(filter(None, (last, instant)), default=None)


def _is_the_sources(case: Case, stored: StoredMetrics) -> bool:
    """Whether the live files are the source's latest base files, each once."""
    return sorted(stored.paths) == sorted(case.source.base_files)


def _rows_after_each(case: Case) -> Iterator[tuple[State, int, int]]:
    """How many rows there are, and how many of them in live files that are not there: by actual counts, and by stored
    ones where a file is not read. Without syncs with row-level deletes, and those before a file was written anew.
    """
    counted = dict(zip(case.stored.paths, case.actual.files["record_count"].to_pylist(), strict=True))
    for state, stored in came_through(case):
        if not stored.deletions.applied and not case.written_anew_since(state):
            counts = zip(stored.paths, stored.files["record_count"].to_pylist(), strict=True)
            rows = [(path, count if counted.get(path) is None else counted[path]) for path, count in counts]
            yield state, sum(n for _, n in rows), sum(n for path, n in rows if path in case.without_object)


def _after_each(case: Case, of_files: TableClaim) -> Iterator[Deviation]:
    """Checks a claim of the files family after each earlier sync. That family itself judges the current state."""
    for state, stored in came_through(case):
        then = replace(case, stored=stored, source=replace(case.source, base_files=state.base_files))
        paths = stored.paths
        for found in of_files.check(then):
            places = _places(case, [paths[place] for place in found.places])
            yield replace(found, places=places, saw=f"{found.saw} {when(state)}", example=None)


def _changed(case: Case, state: State, found: Iterator[StateChange]) -> Iterator[Deviation]:
    for change in found:
        yield _deviation(case, change, f"{change.now} {when(state)}", f"{change.was}, as before")


def _deviation(case: Case, change: StateChange, saw: str, expected: str) -> Deviation:
    return Deviation(_places(case, change.files), saw, expected, change.column, change.verdict)


def _places(case: Case, paths: list[str] | frozenset[str]) -> tuple[int, ...]:
    """The rows of these files in the current stored metrics, if they are live there."""
    wanted = set(paths)
    return tuple(place for place, path in enumerate(case.stored.paths) if path in wanted)


def last_synced(stored: StoredMetrics) -> Synced | None:
    """The commit that was synced last, by the table's properties; None if absent."""
    return stored.native.last_synced


def _last_instant(stored: StoredMetrics) -> datetime | None:
    synced = last_synced(stored)
    return None if synced is None else synced.time


def when(state: State) -> str:
    return f"after {state.after} ({state.sync.kind} sync)"
