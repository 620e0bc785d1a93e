"""Differences between two states of a table's metadata: live files, schema, partition spec and stored metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.model.fingerprint import example
from xtable_audit.model.scalars import Mask, show
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.value_codes import numbered


@dataclass(frozen=True)
class StateChange:
    """One difference between the first state and the second."""

    files: frozenset[str]
    """The files that differ; empty for a change of the whole table."""
    was: str
    now: str
    column: str | None = None
    verdict: Verdict | None = None
    """The effect on a reader of the second state if the first is right."""


def changes(before: StoredMetrics, after: StoredMetrics) -> Iterator[StateChange]:
    """Yields nothing if both states are the same metadata file or hold the same content."""
    if before.metadata_location == after.metadata_location and before.paths == after.paths:
        return
    yield from _files(Counter(before.paths), Counter(after.paths))
    was, now = before.native, after.native
    if was.frame[0] != now.frame[0]:
        yield StateChange(frozenset(), f"schema {was.schema_in_words}", now.schema_in_words)
    if was.frame[1] != now.frame[1]:
        yield StateChange(frozenset(), f"partition spec {was.partitioned_in_words}", now.partitioned_in_words)
    yield from _metrics(before, after)


def anew(before: StoredMetrics, after: StoredMetrics) -> Mask:
    """Marks the files of `after` of which `before` does not say the same: metrics, partition tuple and summary, under
    the same schema, spec and name mapping.
    """
    if before.native.frame != after.native.frame or before.older or after.older:
        return np.ones(after.files.num_rows, dtype=bool)
    here = {path: place for place, path in enumerate(before.paths)}
    places = np.array([here.get(path, -1) for path in after.paths], dtype=np.int64)
    new: Mask = places < 0
    both = np.flatnonzero(~new)
    one, other = pa.array(places[both]), pa.array(both)
    pairs = [(before.files.select(OF_ENTRY), after.files.select(OF_ENTRY)), (before.partition, after.partition)]
    pairs += [(before.columns[name], after.columns[name]) for name in after.columns]
    summaries = before.partitioning.summaries, after.partitioning.summaries
    pairs += [(summaries[0][name], table) for name, table in summaries[1].items()]
    for mine, yours in pairs:
        for metric in yours.column_names:
            old, now = mine[metric].take(one), yours[metric].take(other)
            if not old.equals(now):
                new[both] |= np.not_equal(*numbered(old, now))
    return new


def _files(before: Counter[str], after: Counter[str]) -> Iterator[StateChange]:
    gone, come = before - after, after - before
    again = Counter({path: times for path, times in come.items() if path in before})
    for found, verdict, was, now in (
        (gone, Verdict.UNSOUND, "live", "not live"),
        (come - again, Verdict.STALE, "not live", "live"),
        (again, Verdict.DUPLICATE, "live once", "live more than once"),
    ):
        if found:
            name = min(found)
            yield StateChange(
                frozenset(found), f"{name} {was}", f"{now}, {many(len(found), 'such file')}", verdict=verdict
            )


def _metrics(before: StoredMetrics, after: StoredMetrics) -> Iterator[StateChange]:
    """Changed sizes, counts, partition tuples and bounds of the files in both states."""
    here = {path: place for place, path in enumerate(before.paths)}
    there = {path: place for place, path in enumerate(after.paths)}
    both = sorted(here.keys() & there.keys())
    one, other = (pa.array([places[path] for path in both], pa.int64()) for places in (here, there))
    tables: list[tuple[str | None, pa.Table, pa.Table]] = [
        (None, before.files.select(OF_FILES), after.files.select(OF_FILES))
    ]
    if before.partition.column_names == after.partition.column_names:
        tables.append((None, before.partition, after.partition))
    shared = before.columns.keys() & after.columns.keys()
    tables += [(name, before.columns[name], after.columns[name]) for name in sorted(shared)]
    for column, mine, yours in tables:
        for metric in mine.column_names:
            old, new = mine[metric].take(one), yours[metric].take(other)
            if old.equals(new):
                continue  # the usual case, and much faster than comparing codes
            wrong = np.flatnonzero(np.not_equal(*numbered(old, new)))
            if len(wrong):
                files = frozenset(both[place] for place in wrong)
                pairs = (
                    (f"{metric} {show(old[at])} for {both[at].rpartition('/')[2]}", show(new[at]))
                    for at in map(int, wrong)
                )
                was, now = example(pairs)
                yield StateChange(files, was, now, column)


OF_FILES = ["size", "record_count"]
OF_ENTRY = [*OF_FILES, "format"]
