"""Up to where XTable has synced, by the snapshot that is judged."""

from __future__ import annotations

import json

import pytest
from pyarrow import fs
from pyiceberg.table.metadata import TableMetadata

from tests.formats.recorded import RecordedObjects, RecordedSync, folder_of, names, stages, syncs
from tools.pages.affected import recorded_sources
from xtable_audit.formats.chosen import Chosen
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.hudi.state import hudi_state
from xtable_audit.formats.iceberg.format import TARGET as ICEBERG
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.last_sync import synced_of
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import PROPERTY

TABLE = "history_upsert"
NEWEST = {sync.release: sync for sync in syncs() if sync.table == TABLE and sync.kind in ("first", "incremental")}


def at(sync: RecordedSync, chosen: Chosen) -> StoredMetrics:
    objects = RecordedObjects(fs.LocalFileSystem(), root=folder_of(sync.release))
    return ICEBERG.read_chosen(objects, sync.location, chosen)


def snapshots(sync: RecordedSync) -> list[int]:
    metadata = iceberg_of(at(sync, Chosen())).metadata
    return [one.snapshot_id for one in sorted(metadata.snapshots, key=lambda one: one.timestamp_ms)]


@pytest.mark.parametrize("place", range(len(stages(TABLE))))
def test_an_older_snapshot_says_its_own_instant(place: int) -> None:
    sync = NEWEST["0.4.0-incubating"]
    stored = at(sync, Chosen(snapshot=snapshots(sync)[place]))
    synced, folder = synced_of(iceberg_of(stored).metadata), TableFolder.at(str(recorded_sources() / TABLE))
    assert synced is not None
    assert names(hudi_state(folder, synced, ()), TABLE) == {*stages(TABLE)[place]["base_files"]}


@pytest.mark.parametrize(("place", "told"), [(0, False), (-1, True)])
def test_before_0_3_the_newest_snapshot_alone_is_told(place: int, told: bool) -> None:
    sync = NEWEST["0.2.0-incubating"]
    stored = at(sync, Chosen(snapshot=snapshots(sync)[place]))
    assert (synced_of(iceberg_of(stored).metadata) is not None) == told


def saying(property: str) -> TableMetadata:
    metadata = iceberg_of(at(NEWEST["0.2.0-incubating"], Chosen())).metadata
    return metadata.model_copy(update={"properties": {PROPERTY: property}})


@pytest.mark.parametrize(
    "property",
    ["", "{", "[]", "{}", "null", '{"lastInstantSynced": 5}', '{"lastInstantSynced": "today"}', "[" * 100_000],
    ids=["empty", "broken", "a list", "nothing", "null", "a number", "no time", "deep"],
)
def test_what_is_no_time_says_nothing(property: str) -> None:
    assert synced_of(saying(property)) is None


def test_instants_in_flight_are_told() -> None:
    told = {
        "lastInstantSynced": "2026-11-22T15:44:26.112Z",
        "instantsToConsiderForNextSync": ["2026-11-22T15:44:25.167Z"],
    }
    synced = synced_of(saying(json.dumps(told)))
    assert synced is not None
    assert [f"{one:%S.%f}" for one in (synced.time, *synced.pending)] == ["26.112000", "25.167000"]
