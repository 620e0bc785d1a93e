"""Builds cases for the judge: a translated table, its source and its history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial

import pyarrow.parquet as pq

from provision.datasets import Dataset
from provision.stages import Stage
from provision.translated import Translated
from spark_jobs.columns import PICKUP_MONTH
from spark_jobs.recipes import RECIPES
from store.addresses import Addresses
from subjects.offer import Offer
from subjects.table import Table
from xtable_audit.blame.source_stats import SourceStats
from xtable_audit.formats.targets import read_stored, target_of
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.sync import Sync
from xtable_audit.subject.case import Case, Source, State
from xtable_audit.subject.subject import Subject
from xtable_audit.table.stored_metrics import StoredMetrics

Reading = Callable[[str], StoredMetrics]
"""From a metadata.json's location to the stored metrics of its table. Raises Malformed."""


@dataclass(frozen=True)
class TranslatedTable:
    """A table in the store, not yet judged."""

    offer: Offer
    dataset: Dataset
    translated: Translated

    @property
    def in_store(self) -> bool:
        """Whether it is judged where XTable wrote it, in the store."""
        return self.translated.in_store

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The keys below which its files are: the source's, and the metadata's, of a control."""
        written = self.translated.metadata_location.partition("://")[2].partition("/")[2].rsplit("/", 2)[0]
        return tuple(dict.fromkeys(filter(None, (self.dataset.prefix, written))))

    def judged(self, objects: Objects, store: Addresses) -> Table:
        """The table with its case, or with the reason why it cannot be read."""
        dataset, translated = self.dataset, self.translated
        subject = Subject(
            id=self.offer.id,
            family=self.offer.family,
            metadata_location=translated.metadata_location,
            objects=objects,
            control=self.offer.control,
            versions=dataset.versions | translated.versions,
        )
        case, unreadable, malformed = None, translated.failure, None
        if unreadable is None:
            try:
                subject, case = _with_source(subject, dataset, translated, store)
            except Malformed as error:
                unreadable, malformed = str(error), error
        return Table(
            subject,
            mode=dataset.mode,
            case=case,
            unreadable=unreadable,
            malformed=malformed,
            log=translated.log,
            prefix=dataset.prefix,
            in_store=self.in_store,
            syncs=translated.syncs,
            stats=SourceStats.read(translated.stats, store.uri(dataset.prefix)) if translated.stats else None,
            silent=translated.silent,
            exceptions=translated.exceptions,
        )


def _with_source(subject: Subject, dataset: Dataset, translated: Translated, store: Addresses) -> tuple[Subject, Case]:
    """The subject with its source and history, and its case. Raises Malformed for metadata or a data file."""
    read = cache(partial(read_stored, subject.objects))  # many syncs do not change the metadata
    expired = partial(target_of(translated.newest).is_expired, subject.objects, translated.newest)
    stored = _to_judge(read, expired, translated)
    subject = replace(subject, metadata_location=stored.metadata_location)
    newest = dataset.stages[-1]
    source = Source(
        partition_by=dataset.recipe.partition_by,
        separates=(PICKUP_MONTH, _pickup(stored)) if dataset.recipe.name in RECIPES else (),
        base_files=base_files(dataset, newest, store),
        spec=dataset.recipe.partition_spec,
        shown=pq.read_table(newest.shown, coerce_int96_timestamp_unit="us") if newest.shown else None,
        columns=newest.columns,
    )
    history = tuple(_state(sync, dataset, read, expired, store) for sync in translated.syncs)
    subject = replace(subject, source=source, history=history)
    return subject, subject.case(stored)


def _to_judge(read: Reading, expired: Callable[[str], bool], translated: Translated) -> StoredMetrics:
    """What users have after the last incremental sync; the newest state, if a later sync removed that one."""
    try:
        return read(translated.metadata_location)
    except Malformed:
        if translated.newest == translated.metadata_location or not expired(translated.metadata_location):
            raise
        return read(translated.newest)


def base_files(dataset: Dataset, stage: Stage, store: Addresses) -> Mapping[str, int]:
    """Full URI -> size in bytes of the source's data files at that stage."""
    return {store.uri(f"{dataset.prefix}/{path}"): size for path, size in stage.base_files.items()}


def _state(sync: Sync, dataset: Dataset, read: Reading, expired: Callable[[str], bool], store: Addresses) -> State:
    stage = dataset.stages[sync.stage]
    stored = _readable(read, sync.metadata_location)
    return State(
        sync=sync,
        after=stage.words,
        stored=stored,
        base_files=base_files(dataset, stage, store),
        rows=stage.rows,
        snapshot_rows=stage.snapshot_rows,
        columns=stage.columns,
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
