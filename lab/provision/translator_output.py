"""What a translator left of a dataset: its metadata, or why there is none; and the case that claims judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import pyarrow.parquet as pq

from lab.provision.dataset import Dataset
from lab.provision.sources.every_source import FORMATS
from lab.store.address import Addresses, prefix_of
from lab.subjects.table import Offer, Table
from spark_jobs.battery.iceberg_table import AT_FIRST
from spark_jobs.battery.table import BatteryTable, Called
from spark_jobs.columns import PICKUP_MONTH
from spark_jobs.recipes import RECIPES, Recipe
from xtable_audit.blame.source_stats import SourceStats
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.installed import read_stored, target_of
from xtable_audit.formats.source import Undetermined
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.sync import Sync
from xtable_audit.subject.case import Case, Source, State, case_of
from xtable_audit.table.stored_metrics import StoredMetrics

ROLLBACK = "manage_snapshots.rollback_to_snapshot"
OF_SPEC = "update_spec."
Reading = Callable[[str], StoredMetrics]
"""From a metadata.json's location to the stored metrics of its table. Raises Malformed."""


@dataclass(frozen=True)
class Translated:
    """A dataset's metadata: its location, what wrote it, XTable's log of the sync. Not yet judged.

    `failure` is the translator's error if there is no metadata. `syncs` are all syncs of the table's history.
    """

    dataset: Dataset
    """As it is shown with this metadata."""
    metadata_location: str
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of what wrote the metadata."""
    log: str = ""
    failure: str | None = None
    syncs: tuple[Sync, ...] = ()
    stats: Path | None = None
    """The file with the source's own statistics."""
    in_store: bool = False
    """Whether XTable reached the table in the store, and it is judged there; if not, it is mounted on this disk."""
    silent: bool = False
    """Whether the sync that failed did not report it."""
    exceptions: frozenset[str] = frozenset()
    """The exceptions that the failure names."""

    @classmethod
    def after(
        cls,
        dataset: Dataset,
        syncs: Sequence[Sync],
        versions: Mapping[str, str],
        stats: Path | None = None,
        *,
        in_store: bool = False,
    ) -> Translated:
        """What users have: the metadata of the last sync that is neither idle nor full."""
        last = [sync for sync in syncs if sync.kind in ("first", "incremental")][-1]
        failure = None if last.metadata_location else last.failure
        return cls(
            dataset,
            last.metadata_location,
            versions,
            last.log,
            failure,
            tuple(syncs),
            stats if stats and stats.is_file() else None,
            in_store,
            silent=failure is not None and last.silent,
            exceptions=frozenset() if failure is None else last.exceptions,
        )

    @property
    def newest(self) -> str:
        """The metadata location of the last sync that left one."""
        locations = (sync.metadata_location for sync in reversed(self.syncs) if sync.metadata_location)
        return next(locations, self.metadata_location)

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The keys below which its files are: the source's, and the metadata's, of a control."""
        written = self.metadata_location.partition("://")[2].partition("/")[2].rsplit("/", 2)[0]
        return tuple(dict.fromkeys(filter(None, (self.dataset.prefix, written))))

    def judged(self, offer: Offer, objects: Objects, store: Addresses) -> Table:
        """The table with its case, or with the reason why it cannot be read."""
        dataset = self.dataset
        table = Table(
            offer,
            objects,
            self.metadata_location,
            dataset.mode,
            unreadable=self.failure,
            versions={**dataset.versions, **self.versions},
            log=self.log,
            prefix=dataset.prefix,
            in_store=self.in_store,
            syncs=self.syncs,
            stats=SourceStats.read(self.stats, store.uri(dataset.prefix)) if self.stats else None,
            silent=self.silent,
            exceptions=self.exceptions,
        )
        if self.failure is not None:
            return table
        try:
            case = _case(str(offer.id), self, objects, store)
        except Malformed as error:
            return replace(table, unreadable=str(error), malformed=error)
        stats = table.stats or self._statistics(case.stored, objects, store)
        return replace(table, case=case, metadata_location=case.stored.metadata_location, stats=stats)

    def _statistics(self, stored: StoredMetrics, objects: Objects, store: Addresses) -> SourceStats | None:
        """Those that the source's metadata has of what was translated last; None if it does not have them any more."""
        recipe, synced = self.dataset.recipe, stored.native.last_synced
        read = FORMATS[recipe.format].statistics_then
        if read is None or synced is None:
            return None
        source = TableFolder(replace(self.dataset, prefix=prefix_of(recipe.name)).root(store), objects)
        try:
            return SourceStats.below(self.dataset.root(store), read(source, synced))
        except (Problem, Malformed, Undetermined):
            return None


def _case(id: str, translated: Translated, objects: Objects, store: Addresses) -> Case:
    """The case, with source and history. Raises Malformed for metadata or a data file."""
    dataset, newest = translated.dataset, translated.dataset.stages[-1]
    read = cache(partial(read_stored, objects))  # many syncs do not change the metadata
    expired = partial(target_of(translated.newest).is_expired, objects, translated.newest)
    stored = _to_judge(read, expired, translated)
    source = Source(
        partition_by=dataset.recipe.partition_by,
        separates=(PICKUP_MONTH, _pickup(stored)) if dataset.recipe.name in RECIPES else (),
        base_files=dataset.base_files(newest, store),
        spec=dataset.recipe.partition_spec,
        shown=pq.read_table(newest.shown, coerce_int96_timestamp_unit="us") if newest.shown else None,
        columns=newest.columns,
    )
    history = tuple(_state(sync, dataset, read, expired, store) for sync in translated.syncs)
    return case_of(objects, id, stored, source, history)


def _to_judge(read: Reading, expired: Callable[[str], bool], translated: Translated) -> StoredMetrics:
    """What users have after the last incremental sync; the newest state, if a later sync removed that one."""
    try:
        return read(translated.metadata_location)
    except Malformed:
        if translated.newest == translated.metadata_location or not expired(translated.metadata_location):
            raise
        return read(translated.newest)


def _state(sync: Sync, dataset: Dataset, read: Reading, expired: Callable[[str], bool], store: Addresses) -> State:
    stage = dataset.stages[sync.stage]
    stored = _readable(read, sync.metadata_location)
    return State(
        sync=sync,
        after=stage.words,
        stored=stored,
        base_files=dataset.base_files(stage, store),
        rows=stage.rows,
        snapshot_rows=stage.snapshot_rows,
        columns=stage.columns,
        partition_by=partitioned_then(dataset.recipe, sync.stage),
        rolled_back=is_rolled_back(dataset.recipe, sync.stage),
        expired=bool(sync.metadata_location) and stored is None and expired(sync.metadata_location),
    )


def _readable(read: Reading, metadata_location: str) -> StoredMetrics | None:
    if not metadata_location:
        return None
    try:
        return read(metadata_location)
    except Malformed:
        return None  # a finding reports the last state; of the earlier states, claims compare only readable ones


def _pickup(stored: StoredMetrics) -> str:
    """The column of the pickup time, which yellow and green taxis name differently. Raises Malformed without one."""
    for leaf in stored.leaves:
        if leaf.path.endswith("pep_pickup_datetime"):
            return leaf.path
    raise Malformed(stored.metadata_location, "has a schema without the source's pickup time")


def partitioned_then(source: Recipe | BatteryTable, stage: int) -> tuple[str, ...]:
    """The columns that partitioned the table at that stage."""
    first = dict(source.options).get(AT_FIRST) if isinstance(source, BatteryTable) else None
    if first is None or any(one.startswith(OF_SPEC) for number in range(stage + 1) for one in _called(source, number)):
        return source.partition_by
    return tuple(filter(None, first.split(",")))


def is_rolled_back(source: Recipe | BatteryTable, stage: int) -> bool:
    """Whether that stage is an older state of the table, to which it was rolled back."""
    return ROLLBACK in _called(source, stage)


def _called(source: Recipe | BatteryTable, stage: int) -> list[str]:
    """The methods that were called after the stage before, up to that one."""
    parts: list[list[str]] = [[]]
    for step in source.steps if isinstance(source, BatteryTable) else ():
        if isinstance(step.action, Called):
            parts[-1].append(step.action.method)
        if step.staged:
            parts.append([])
    return parts[stage] if stage < len(parts) else []
