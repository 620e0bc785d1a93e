"""A history is synced stage by stage, then without changes, then in full; a failure does not end it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.provision.dataset import Dataset, Stage
from lab.provision.history import play, put_in_place, read_syncs, write_syncs
from lab.provision.translator_output import is_rolled_back, partitioned_then
from lab.store import moto, objects
from lab.store.running import RunningStore
from lab.store.tables import InStore, Seconds
from spark_jobs.battery.iceberg_source import ICEBERG_TABLES
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from xtable.sync_report import SyncFailed
from xtable.writer import ICEBERG, KERNEL, Writer
from xtable_audit.model.sync import Sync, Touch

SOURCE = BatteryTable("t", "", ())


class Release:
    """Replaces a translator: notes its calls, and fails at those given."""

    def __init__(self, version: str, calls: list[tuple[str, str]], fails_at: tuple[int, ...]) -> None:
        self._version, self._calls, self._fails_at = version, calls, fails_at

    def sync(
        self, source_format: str, location: str, name: str, spec: str, mode: str, writer: Writer = ICEBERG
    ) -> Sync:
        self._calls.append((self._version, mode))
        if len(self._calls) in self._fails_at:
            raise SyncFailed(name, self._version, "no luck")
        return Sync("incremental", self._version, f"{location}/v{len(self._calls)}", seconds=0.12345)


@pytest.fixture(scope="module")
def running() -> Iterator[RunningStore]:
    with moto.start() as store:
        yield store


@pytest.fixture
def stages(tmp_path: Path) -> list[Stage]:
    return two_stages(tmp_path)


def two_stages(folder: Path) -> list[Stage]:
    """The second has another file in place of the first one's."""
    found = []
    for number, name in enumerate(("old.parquet", "new.parquet"), start=1):
        tree = folder / str(number)
        tree.mkdir()
        (tree / name).write_text(name)
        found.append(Stage(f"step {number}", {name: len(name)}, tree=tree))
    return found


def tree_of(stage: Stage) -> Path:
    assert stage.tree is not None
    return stage.tree


def played(running: RunningStore, stages: list[Stage], since: str | None = None, fails_at: tuple[int, ...] = ()) -> Any:
    calls: list[tuple[str, str]] = []
    table = Dataset(SOURCE, "t", tuple(stages))
    found = list(play(table, InStore(running.store), "0.4.0", lambda v: Release(v, calls, fails_at), since))  # type: ignore[arg-type,return-value]
    return found, calls


def test_each_stage_is_synced_and_then_twice_more(running: RunningStore, stages: list[Stage]) -> None:
    found, _ = played(running, stages)
    assert [(one.stage, one.kind) for one in found] == [(0, "first"), (1, "incremental"), (1, "idle"), (1, "full")]


def test_the_last_sync_alone_is_full(running: RunningStore, stages: list[Stage]) -> None:
    _, calls = played(running, stages)
    assert [mode for _, mode in calls] == ["INCREMENTAL", "INCREMENTAL", "INCREMENTAL", "FULL"]


def test_a_failure_is_reported_and_the_next_sync_is_made(running: RunningStore, stages: list[Stage]) -> None:
    found, _ = played(running, stages, fails_at=(2,))
    assert [one.failure for one in found] == [None, "no luck", None, None]


def test_an_upgrade_in_place_has_its_first_sync_by_the_release_before(
    running: RunningStore, stages: list[Stage]
) -> None:
    _, calls = played(running, stages, since="0.3.0")
    assert [version for version, _ in calls] == ["0.3.0", *["0.4.0"] * 4]


def test_a_stage_replaces_the_one_before_and_spares_the_metadata(running: RunningStore, stages: list[Stage]) -> None:
    put_in_place(InStore(running.store), "p", tree_of(stages[0]))
    objects.write(running.store, "p/metadata/v1.metadata.json", b"{}")
    put_in_place(InStore(running.store), "p", tree_of(stages[1]))
    assert set(objects.list_objects(running.store, "p")) == {"p/metadata/v1.metadata.json", "p/new.parquet"}


@pytest.mark.parametrize(("seconds", "different"), [("one", 1), ("each", 3)])
def test_commits_of_delta_in_a_stage_have_seconds(
    running: RunningStore, tmp_path: Path, seconds: Seconds, different: int
) -> None:
    """By the times of the store, which are those of the commits."""
    (tmp_path / "_delta_log").mkdir()
    for number in range(3):
        (tmp_path / f"_delta_log/{number}.json").write_text(str(number))
    prefix = f"delta-{seconds}"
    put_in_place(InStore(running.store), prefix, tmp_path, seconds)
    listed = objects.client(running.store).list_objects_v2(Bucket=running.store.bucket, Prefix=prefix)["Contents"]
    assert len({item["LastModified"] for item in listed}) == different


def test_no_store_gives_a_commit_a_second_that_has_passed(running: RunningStore, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="sets the times of its objects itself"):
        put_in_place(InStore(running.store), "passed", tmp_path, "last")


@pytest.mark.parametrize(
    ("table", "seconds"),
    [
        ("delta_plain", ["each", "each", "each"]),
        ("edge_delta_one_second", ["one", "one", "one"]),
        ("edge_delta_same_second", ["each", "last", "each"]),
    ],
)
def test_a_table_says_which_seconds_its_commits_have(table: str, seconds: list[Seconds]) -> None:
    dataset = Dataset(BATTERY[table], "t")
    assert [dataset.seconds(stage) for stage in (1, 2, 3)] == seconds


def test_syncs_are_read_as_they_were_written(tmp_path: Path) -> None:
    syncs = (
        Sync("first", "0.4.0", "s3://b/v1", None, "log", 0.3),
        Sync("idle", "0.4.0", "", "no", stage=1, silent=True),
    )
    write_syncs(tmp_path / "syncs.json", syncs)
    assert read_syncs(tmp_path / "syncs.json") == syncs


class Vandal(Release):
    """Deletes a file of the source, changes one and adds one; and writes metadata, as it should."""

    def __init__(self, running: RunningStore) -> None:
        super().__init__("0.4.0", [], ())
        self._store = running.store

    def sync(
        self, source_format: str, location: str, name: str, spec: str, mode: str, writer: Writer = ICEBERG
    ) -> Sync:
        objects.remove(self._store, "vandal/gone.parquet")
        for key in ("vandal/changed.parquet", "vandal/added.parquet", "vandal/metadata/v1.metadata.json"):
            objects.write(self._store, key, b"by the sync")
        return super().sync(source_format, location, name, spec, mode)


def test_a_sync_that_touches_its_source_is_noted(running: RunningStore) -> None:
    for name in ("gone", "changed", "kept"):
        objects.write(running.store, f"vandal/{name}.parquet", b"by the source")
    table = Dataset(SOURCE, "vandal", (Stage("insert", {}, tree=None),))
    first, *_ = play(table, InStore(running.store), "0.4.0", lambda _: Vandal(running), None)  # type: ignore[arg-type,return-value]
    assert [*map(str, first.touched or ())] == [
        "added added.parquet",
        "changed changed.parquet",
        "deleted gone.parquet",
    ]


@pytest.mark.parametrize(
    ("writer", "touched"),
    [(ICEBERG, ["added _delta_log/0.json"]), (KERNEL, ["added metadata/v1.metadata.json"])],
    ids=["to Iceberg", "to Delta"],
)
def test_only_the_folder_of_its_own_target_is_no_source(
    running: RunningStore, writer: Writer, touched: list[str]
) -> None:
    class Both(Release):
        def sync(self, *asked: Any, **further: Any) -> Sync:
            for key in ("metadata/v1.metadata.json", "_delta_log/0.json"):
                objects.write(running.store, f"{writer.id}/{key}", b"by the sync")
            return super().sync(*asked, **further)

    table = Dataset(SOURCE, writer.id, (Stage("insert", {}, tree=None),))
    release: Any = Both("0.4.0", [], ())
    first, *_ = play(table, InStore(running.store), "0.4.0", lambda _: release, writer=writer)
    assert [*map(str, first.touched or ())] == touched


def test_a_sync_that_leaves_its_source_alone_is_noted(running: RunningStore, stages: list[Stage]) -> None:
    found, _ = played(running, stages)
    assert [one.touched for one in found] == [()] * 4


def test_what_a_sync_touched_is_kept(tmp_path: Path) -> None:
    syncs = (Sync("first", "0.4.0", "v1", touched=(Touch("deleted", "a b"),)), Sync("idle", "0.4.0", "v1"))
    write_syncs(tmp_path / "syncs.json", syncs)
    assert [one.touched for one in read_syncs(tmp_path / "syncs.json")] == [(Touch("deleted", "a b"),), None]


def test_a_recording_of_before_has_no_silent_failure(tmp_path: Path) -> None:
    write_syncs(tmp_path / "syncs.json", [Sync("first", "0.4.0", "", "no luck")])
    recorded = json.loads((tmp_path / "syncs.json").read_text())
    del recorded[0]["silent"]
    (tmp_path / "syncs.json").write_text(json.dumps(recorded))
    assert read_syncs(tmp_path / "syncs.json") == (Sync("first", "0.4.0", "", "no luck"),)


# what a source was at an earlier stage, by its entry


@pytest.mark.parametrize(
    ("name", "columns"),
    {
        "iceberg_repartitioned": [("p",), ("p", "s")],
        "iceberg_unpartitioned_since": [("p",), ()],
        "iceberg_respec_rewritten": [("p", "s")],
        "iceberg_partition_overwritten": [("p",), ("p",)],
        "iceberg_append": [(), (), ()],
    }.items(),
)
def test_a_table_is_partitioned_by_what_it_was_at_each_stage(name: str, columns: list[tuple[str, ...]]) -> None:
    table = ICEBERG_TABLES[name]
    assert [partitioned_then(table, stage) for stage in range(len(table.stages))] == columns


def test_a_table_of_the_battery_is_partitioned_as_its_entry_has_it() -> None:
    assert partitioned_then(BATTERY["partition_two_columns"], 0) == BATTERY["partition_two_columns"].partition_by


def test_the_stage_of_a_rollback_is_one_to_which_the_table_went_back() -> None:
    table = ICEBERG_TABLES["iceberg_rolled_back"]
    assert [is_rolled_back(table, stage) for stage in range(3)] == [False, False, True]
    assert not any(is_rolled_back(BATTERY["history_rollback"], stage) for stage in range(2))
