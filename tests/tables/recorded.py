"""Recorded syncs: XTable's metadata after each, and what Spark's own source tables held then."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from pyarrow import fs

from lab.provision.dataset import columns_in
from lab.stack.versions import releases
from lab.store.address import BUCKET, prefix_of
from spark_jobs.addresses import ELSEWHERE, elsewhere
from tools.pages.affected import recorded, recorded_sources
from xtable_audit.formats.delta.log import LogFiles
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.hudi.timeline import HudiTimeline
from xtable_audit.formats.iceberg.check.support import synced_of
from xtable_audit.formats.iceberg.manifests import read_manifest, read_manifest_list
from xtable_audit.formats.iceberg.stored_metrics import read_metadata, read_stored_metrics
from xtable_audit.formats.named_source import read_state
from xtable_audit.formats.source import SourceState
from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import Synced


@dataclass(frozen=True)
class RecordedSync:
    """A sync that left metadata."""

    release: str
    table: str
    number: int
    kind: str
    stage: int
    location: str

    def __str__(self) -> str:
        return f"{self.table}, sync {self.number} of {self.release} ({self.kind})"


@dataclass(frozen=True)
class RecordedObjects(Objects):
    """The metadata of one release, at its address in the store."""

    root: Path = Path()

    def path(self, uri: str) -> str:
        return str(self.root / uri.partition(f"/{prefix_of('')}")[2])


@cache
def folder_of(release: str) -> Path:
    return recorded_sources().parent / release


@cache
def stages(table: str) -> tuple[dict[str, Any], ...]:
    return tuple(json.loads((recorded_sources() / f"{table}.stages.json").read_text(encoding="utf-8")))


def syncs() -> Iterator[RecordedSync]:
    for release in (one.version for one in releases()):
        for table in recorded():
            file = folder_of(release) / f"{table}.syncs.json"
            for number, told in enumerate(json.loads(file.read_text(encoding="utf-8")), start=1):
                sync = RecordedSync(release, table, number, told["kind"], told["stage"], told["location"])
                if told["failure"] is None and told["location"] and (folder_of(release) / _below(sync)).is_file():
                    yield sync


def _below(sync: RecordedSync) -> str:
    return sync.location.partition(f"/{prefix_of('')}")[2]


def stored(sync: RecordedSync) -> StoredMetrics:
    objects = RecordedObjects(fs.LocalFileSystem(), root=folder_of(sync.release))
    return read_stored_metrics(objects, sync.location)


def state(sync: RecordedSync) -> SourceState:
    """The source after the sync, read from its newest recorded state as a user would read it. Raises Undetermined."""
    of_sync, paths = _told(replace(sync, number=0, kind="", stage=0))
    return _state(sync.table, of_sync, tuple(path.partition(f"/{prefix_of(sync.table)}/")[2] for path in paths))


@cache
def _state(table: str, of_sync: Synced, below: tuple[str, ...]) -> SourceState:
    """The releases and kinds of syncs often ask for the same."""
    folder = TableFolder.at(str(recorded_sources() / table))
    return read_state(recorded()[table].format.lower(), folder, of_sync, list(below))


@cache
def _told(metadata: RecordedSync) -> tuple[Synced, tuple[str, ...]]:
    """What the metadata says of its sync, and its files: an idle sync leaves that of the one before. Metrics are not
    read.
    """
    objects = RecordedObjects(fs.LocalFileSystem(), root=folder_of(metadata.release))
    parsed = read_metadata(objects, metadata.location)
    told, snapshot = synced_of(parsed), parsed.current_snapshot()
    assert told is not None
    listing = read_manifest_list(objects, snapshot.manifest_list) if snapshot else []
    manifests = (read_manifest(objects, listed) for listed in listing)
    return told, tuple(path for one in manifests if one.is_of_data for path in one.live["file_path"].to_pylist())


def names(state: SourceState, table: str) -> set[str]:
    """Below the table, where those of another address (delta_shallow_clone) are, too."""
    other = elsewhere(f"s3://{BUCKET}/{prefix_of(table)}").removesuffix(ELSEWHERE)
    return {uri.removeprefix(f"{recorded_sources() / table}/").removeprefix(other) for uri in state.files}


def columns(table: str, stage: int) -> set[str] | None:
    """Those that Spark showed, in small letters; None if it was not asked."""
    told = stages(table)[stage].get("columns")
    rows = recorded_sources() / f"{table}.rows.parquet"
    if told is None and stage in (-1, len(stages(table)) - 1) and rows.is_file():
        told = columns_in(rows)
    return None if told is None else {one.lower() for one in told}


@cache
def newest(table: str) -> SourceState:
    """The source in its newest recorded state."""
    format, folder = recorded()[table].format.lower(), TableFolder.at(str(recorded_sources() / table))
    commit = HudiTimeline.read(folder).writes[-1].time if format == "hudi" else str(LogFiles.of(folder).newest)
    return read_state(format, folder, Synced(datetime.now(UTC), commit), ())
