"""The syncs of a table's history: what each left behind, against the source of that time and against each other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from xtable_audit.claims import files
from xtable_audit.claims.claim import Claim, Deviation, claim
from xtable_audit.metadata.changes import Change, changes
from xtable_audit.metadata.stored_metrics import StoredMetrics
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case, Sync

SPEC = "what a sync that comes through leaves is the source of that time; one that fails leaves what was there"
STATE = "XTABLE_METADATA"


@claim("after every sync, each latest base file of the source is live", spec=SPEC, breaks=Verdict.UNSOUND)
def no_file_is_missing_after_a_sync(case: Case) -> Iterator[Deviation]:
    yield from _after_each(case, files.no_file_is_missing)


@claim("after every sync, each live file is a latest base file of the source", spec=SPEC, breaks=Verdict.STALE)
def no_file_is_stale_after_a_sync(case: Case) -> Iterator[Deviation]:
    yield from _after_each(case, files.no_file_is_stale)


@claim("after every sync, each live file is listed once", spec=SPEC, breaks=Verdict.DUPLICATE)
def no_file_is_listed_twice_after_a_sync(case: Case) -> Iterator[Deviation]:
    yield from _after_each(case, files.no_file_is_listed_twice)


@claim("after every sync, there are as many rows as the source shows", spec=SPEC, breaks=Verdict.STALE)
def rows_are_as_many_after_a_sync(case: Case) -> Iterator[Deviation]:
    """Rows as they were counted in the files; in those that are live no more, as the metadata counted them.

    Counts do not tell how many rows are live where row-level deletes apply: such a sync is not judged.
    """
    counted = dict(zip(case.stored.paths, case.actual.files["record_count"].to_pylist(), strict=True))
    for sync, stored in _came_through(case):
        if stored.deletions.applied:
            continue
        said = zip(stored.paths, stored.files["record_count"].to_pylist(), strict=True)
        rows = sum(told if counted.get(path) is None else counted[path] for path, told in said)
        if sync.rows is not None and rows != sync.rows:
            yield Deviation((), f"{rows} rows {_when(sync)}", f"{sync.rows}, by the source")


@claim("a sync that came through leaves a table that can be read", spec=SPEC, breaks=Verdict.FAILED_SILENTLY)
def success_leaves_a_table(case: Case) -> Iterator[Deviation]:
    for sync in case.syncs:
        if sync.failure is None and sync.stored is None and not sync.expired:
            yield Deviation((), f"no metadata, or none that can be read, {_when(sync)}", "a table, as the sync says")


@claim("a sync that failed leaves the table as it was", spec=SPEC, breaks=Verdict.FAILED_SILENTLY)
def failure_leaves_the_table_as_it_was(case: Case) -> Iterator[Deviation]:
    """UNREADABLE where it can be read no more. A first sync that fails leaves no table."""
    for before, sync in _in_turn(case):
        if sync.failure is None:
            continue
        if before is None and sync.stored is not None:
            saw = f"a table of {len(sync.stored.paths)} files {_when(sync)}, which failed"
            yield Deviation((), saw, "none, as before")
        if before is not None and sync.stored is None and not sync.expired:
            saw = f"no metadata that can be read {_when(sync)}, which failed"
            yield Deviation((), saw, "the table as it was", verdict=Verdict.UNREADABLE)
        if before is not None and sync.stored is not None:
            yield from _changed(case, sync, changes(before, sync.stored))


@claim("a sync without news changes nothing", spec=SPEC, breaks=Verdict.FAILED_SILENTLY)
def idle_sync_changes_nothing(case: Case) -> Iterator[Deviation]:
    for before, sync in _in_turn(case):
        if sync.kind == "idle" and sync.failure is None and before is not None and sync.stored is not None:
            yield from _changed(case, sync, changes(before, sync.stored))


@claim("incremental syncs leave what one full sync leaves", spec=SPEC, breaks=Verdict.FAILED_SILENTLY)
def incremental_equals_full(case: Case) -> Iterator[Deviation]:
    """Which of the two is wrong is told by the source's latest base files; where not by them, it is the first."""
    for sync in case.syncs:
        if sync.kind == "full" and sync.failure is None and sync.stored is not None:
            step_by_step, at_once = _is_the_sources(case, case.stored), _is_the_sources(case, sync.stored)
            if step_by_step and not at_once:
                for change in changes(case.stored, sync.stored):
                    saw = f"{change.now} {_when(sync)}, which is wrong"
                    yield _deviation(case, change, saw, f"{change.was} after incremental syncs, as in the source")
                continue
            told = "" if step_by_step else ", which are wrong" if at_once else ", and neither is right"
            for change in changes(sync.stored, case.stored):
                saw = f"{change.now} after incremental syncs{told}"
                yield _deviation(case, change, saw, f"{change.was} {_when(sync)}")


@claim("the last instant that was synced never goes back", spec=SPEC, breaks=Verdict.FAILED_SILENTLY)
def last_instant_never_goes_back(case: Case) -> Iterator[Deviation]:
    """The table's property XTABLE_METADATA holds it: from there the next sync goes on. Without it, it starts anew."""
    last = None
    for sync in case.syncs:
        if sync.failure is None and sync.stored is not None:
            instant = _last_instant(sync.stored)
            if instant is None or (last is not None and instant < last):
                yield Deviation((), f"{instant or 'no instant'} {_when(sync)}", f"{last or 'an instant'} or later")
            last = max(filter(None, (last, instant)), default=None)


def _is_the_sources(case: Case, stored: StoredMetrics) -> bool:
    """Whether the live files are the source's latest base files, each once."""
    return sorted(stored.paths) == sorted(case.source.base_files)


def _after_each(case: Case, of_files: Claim) -> Iterator[Deviation]:
    """A claim of the files family, held against each sync. The state that is judged is that family's own."""
    for sync, stored in _came_through(case):
        then = replace(case, stored=stored, source=replace(case.source, base_files=sync.base_files))
        for found in of_files.check(then):
            places = _places(case, [stored.paths[place] for place in found.places])
            yield replace(found, places=places, saw=f"{found.saw} {_when(sync)}")


def _came_through(case: Case) -> Iterator[tuple[Sync, StoredMetrics]]:
    """The syncs that left another state than the one that is judged."""
    for sync in case.syncs:
        if sync.failure is None and sync.stored is not None and sync.stored.location != case.stored.location:
            yield sync, sync.stored


def _in_turn(case: Case) -> Iterator[tuple[StoredMetrics | None, Sync]]:
    """Each sync with the state that it found."""
    before: StoredMetrics | None = None
    for sync in case.syncs:
        yield before, sync
        before = sync.stored or before


def _changed(case: Case, sync: Sync, found: Iterator[Change]) -> Iterator[Deviation]:
    for change in found:
        yield _deviation(case, change, f"{change.now} {_when(sync)}", f"{change.was}, as before")


def _deviation(case: Case, change: Change, saw: str, expected: str) -> Deviation:
    return Deviation(_places(case, change.files), saw, expected, change.column, change.verdict)


def _places(case: Case, paths: list[str] | frozenset[str]) -> tuple[int, ...]:
    """Where these files stand in the state that is judged, if they do."""
    wanted = set(paths)
    return tuple(place for place, path in enumerate(case.stored.paths) if path in wanted)


def _last_instant(stored: StoredMetrics) -> datetime | None:
    """None where the table does not say."""
    told = json.loads(stored.metadata.properties.get(STATE, "{}")).get("lastInstantSynced")
    return None if told is None else datetime.fromisoformat(told)


def _when(sync: Sync) -> str:
    return f"after {sync.stage} ({sync.kind} sync)"
