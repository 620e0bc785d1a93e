"""The table after each earlier sync, reduced to what no other state says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from xtable_audit.model.malformed import Malformed
from xtable_audit.model.result import SetAside
from xtable_audit.subject.case import Case, Measure
from xtable_audit.table.changes import anew
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.measured_rows import ActualMetrics

NOTHING = ActualMetrics(pa.table({}), {})


@dataclass(frozen=True)
class Earlier:
    """The state after one sync."""

    words: str
    """`after sync 2 of 4: upsert (incremental sync)`."""
    whole: Case
    """The table as the sync left it, without actual values."""
    case: Case
    """The same with those entries alone that neither the sync before nor the last state has, and whose files are still
    there and have not been written anew: a data file does not change, so an entry that stays is judged once.
    """
    set_aside: tuple[SetAside, ...]
    """The entries whose files are gone, or cannot be read."""


def earlier_states(case: Case) -> Iterator[Earlier]:
    """The states that syncs of the release under audit left, oldest first, without the last one and failed syncs.

    Idle and full syncs are compared with the last state as a whole, by claims of their own.
    """
    before = None
    for number, state in enumerate(case.history, start=1):
        stored, sync = state.stored, state.sync
        if case.measure is None or stored is None or stored.metadata_location == case.stored.metadata_location:
            continue
        of_users = sync.failure is None and sync.kind in ("first", "incremental")
        if of_users and sync.release == case.history[-1].sync.release:
            new = anew(case.stored, stored)
            own = stored.only(new if before is None else new & anew(before, stored))
            words = f"after sync {number} of {len(case.history)}: {state.after} ({sync.kind} sync)"
            by = case.source.partition_by if state.partition_by is None else state.partition_by
            then = replace(case.source, base_files=state.base_files, columns=state.columns, partition_by=by, shown=None)
            whole = Case(case.id, stored, NOTHING, then)
            changed = dict.fromkeys(case.written_anew_since(state), "the file has been written anew since")
            yield Earlier(words, whole, *_measured(whole, own, case.measure, words, changed))
            before = stored


def _measured(
    whole: Case, own: StoredMetrics, measure: Measure, words: str, changed: Mapping[str, str]
) -> tuple[Case, tuple[SetAside, ...]]:
    """The entries with the actual values of their files, and those without: by path, why not of those that changed."""
    aside = {path: why for path, why in changed.items() if path in own.paths}
    while True:
        own = own.only(np.array([path not in aside for path in own.paths], dtype=bool))
        try:
            actual = measure(own)
        except Malformed as error:
            aside |= dict.fromkeys([error.location] if error.location in own.paths else own.paths, str(error))
            continue
        there = np.asarray(actual.files["exists"], dtype=bool)
        gone = {
            path: "the file has been deleted since"
            for path, is_there in zip(own.paths, there, strict=True)
            if not is_there
        }
        kept = replace(whole, stored=own.only(there), actual=actual.take(list(map(int, np.flatnonzero(there)))))
        return kept, tuple(SetAside(f"not compared {words}: {why}", path=path) for path, why in (aside | gone).items())
