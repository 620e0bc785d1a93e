"""The tables of a run on this disk: what is shown there, and what Hadoop's programs see meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyiceberg.io import load_file_io

from lab.provision.history import put_in_place
from lab.stack.mount import VIEW, Mount
from lab.store.disk import Disk
from lab.store.tables import Seconds
from xtable_audit.model.objects import Objects

PREFIX = "tables/t"
KEYS = [f"{PREFIX}/{path}" for path in (".hoodie/1.commit", "a=1/x.parquet", "metadata/v1.metadata.json")]


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path / "run", "lake")


def tree(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


@pytest.fixture
def shown(disk: Disk, tmp_path: Path) -> Disk:
    disk.show(PREFIX, tree(tmp_path / "source", {"a=1/x.parquet": "x", ".hoodie/1.commit": "1"}))
    disk.show_metadata(PREFIX, tree(tmp_path / "written", {"v1.metadata.json": "{}"}))
    return disk


# The tables of a run on this disk: what is shown there, and what Hadoop's programs see meanwhile.


def test_source_and_metadata_are_shown_as_one_table(shown: Disk) -> None:
    assert list(shown.files(PREFIX)) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_the_judge_reads_a_file_at_its_address(shown: Disk, key: str) -> None:
    assert Objects(shown.filesystem).read(shown.uri(key)) == shown.files(PREFIX)[key].read_bytes()


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_pyiceberg_reads_a_file_at_its_address(shown: Disk, scheme: str) -> None:
    io = load_file_io(shown.pyiceberg())
    with io.new_input(f"{scheme}://lake/{KEYS[-1]}").open() as stream:
        assert stream.read() == b"{}"


def test_pyiceberg_writes_into_the_folder_that_is_shown(disk: Disk, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    disk.show_whole("control/t", tmp_path / "kept")
    with load_file_io(disk.pyiceberg()).new_output("s3://lake/control/t/metadata/v1.metadata.json").create() as stream:
        stream.write(b"{}")
    assert (tmp_path / "kept" / "metadata" / "v1.metadata.json").read_bytes() == b"{}"


def test_what_is_shown_anew_replaces_what_was(shown: Disk, tmp_path: Path) -> None:
    shown.show_metadata(PREFIX, tree(tmp_path / "written anew", {"v2.metadata.json": "{}"}))
    assert list(shown.files(PREFIX))[-1] == f"{PREFIX}/metadata/v2.metadata.json"


def test_hadoop_sees_tables_and_controls_at_their_addresses(shown: Disk) -> None:
    settings = shown.mounted().hadoop()
    folders = {
        name: Path(settings[f"fs.viewfs.mounttable.lake.link./{name}"].removeprefix("file://"))
        for name in ("tables", "control")
    }
    assert (settings["fs.s3.impl"], settings["fs.s3a.impl"]) == (VIEW, VIEW)
    assert (folders["tables"] / "t" / "a=1" / "x.parquet").read_text() == "x"
    assert folders["control"] == shown.path("control")


def test_a_table_in_translation_is_a_copy(shown: Disk, tmp_path: Path) -> None:
    """What a sync writes or spoils stays apart from what is shown, and from what the cache keeps."""
    with shown.in_translation(PREFIX) as mounted:
        assert mounted.versions(PREFIX) == {}
        put_in_place(mounted, PREFIX, tmp_path / "source")
        (mounted.folder / "lake" / PREFIX / "a=1" / "x.parquet").write_text("spoilt")
        assert (tmp_path / "source" / "a=1" / "x.parquet").read_text() == "x"
        assert list(shown.files(PREFIX)) == KEYS
    assert set(mounted.versions(PREFIX)) == set()  # a link to what is shown, which is not searched


def test_a_table_in_translation_on_another_mount_is_where_it_was_on_this_one(shown: Disk, tmp_path: Path) -> None:
    """It is translated to another format while XTable's Iceberg planner reads it."""
    with shown.in_translation(PREFIX, "delta") as mounted:
        put_in_place(mounted, PREFIX, tmp_path / "source")
        assert {*mounted.versions(PREFIX)} == {*KEYS[:2]}
        seen = Path(shown.mounted().hadoop()["fs.viewfs.mounttable.lake.link./tables"].removeprefix("file://"))
        assert (seen / "t" / "metadata" / "v1.metadata.json").read_text() == "{}"
    assert mounted.versions(PREFIX) == {}
    assert list(shown.files(PREFIX)) == KEYS


def test_a_stage_replaces_the_one_before_and_spares_the_metadata(disk: Disk, tmp_path: Path) -> None:
    first = tree(tmp_path / "1", {"old/a.parquet": "a", "kept.parquet": "kept", "changed.parquet": "1"})
    second = tree(tmp_path / "2", {"kept.parquet": "kept", "changed.parquet": "2"})
    with disk.in_translation(PREFIX) as mounted:
        put_in_place(mounted, PREFIX, first)
        place = tree(mounted.folder / "lake" / PREFIX, {"metadata/v1.metadata.json": "{}"})
        before = (place / "kept.parquet").stat().st_mtime_ns
        put_in_place(mounted, PREFIX, second)
        found = {path.relative_to(place).as_posix() for path in place.rglob("*")}
        assert found == {"kept.parquet", "changed.parquet", "metadata", "metadata/v1.metadata.json"}
        assert (place / "changed.parquet").read_text() == "2"
        assert (place / "kept.parquet").stat().st_mtime_ns == before


@pytest.mark.parametrize(("seconds", "after_the_first"), [("each", [1, 2, 3]), ("one", [1, 1, 1]), ("last", [0, 0, 0])])
def test_commits_of_delta_have_seconds_in_their_order(
    disk: Disk, tmp_path: Path, seconds: Seconds, after_the_first: list[int]
) -> None:
    log = {f"_delta_log/{number}.json": str(number) for number in range(4)}
    first = tree(tmp_path / "1", {"_delta_log/0.json": "0"})
    with disk.in_translation(PREFIX) as mounted:
        put_in_place(mounted, PREFIX, first)
        put_in_place(mounted, PREFIX, tree(tmp_path / "2", log), seconds)
        times = [(mounted.folder / "lake" / PREFIX / name).stat().st_mtime for name in log]
    assert [time - times[0] for time in times[1:]] == after_the_first


def test_what_a_sync_wrote_is_copied_out(disk: Disk, tmp_path: Path) -> None:
    with disk.in_translation(PREFIX) as mounted:
        tree(mounted.folder / "lake" / PREFIX, {"metadata/v1.metadata.json": "{}"})
        mounted.download(f"{PREFIX}/metadata", tmp_path / "kept")
    assert (tmp_path / "kept" / "v1.metadata.json").read_text() == "{}"


# folders that XTable reads on this disk alone


def test_a_table_has_an_address_of_this_disk_too(shown: Disk) -> None:
    locally = shown.mounted_locally()
    assert locally.uri(PREFIX) == "file:/lake/tables/t"
    key = KEYS[-1]
    assert Objects(shown.filesystem).read(locally.uri(key)) == shown.files(PREFIX)[key].read_bytes()


def test_hadoop_sees_tables_at_addresses_of_this_disk_and_all_else_as_it_is(disk: Disk) -> None:
    settings = disk.mounted_locally().hadoop()
    folder = (disk.folder / "mount" / "lake" / "tables").as_uri()
    assert settings["fs.viewfs.mounttable.default.link./lake/tables"] == folder
    assert settings["fs.viewfs.mounttable.default.linkFallback"] == "file:///"


def test_a_stage_at_an_address_of_this_disk_keeps_its_times(disk: Disk, tmp_path: Path) -> None:
    stage = tree(tmp_path / "stage", {"a.parquet": "a"})
    os.utime(stage / "a.parquet", (1_704_110_400, 1_704_110_400))
    with disk.in_translation(PREFIX):
        put_in_place(disk.mounted_locally(), PREFIX, stage)
        placed = disk.folder / "mount" / "lake" / PREFIX / "a.parquet"
        assert (placed.read_text(), placed.stat().st_mtime) == ("a", 1_704_110_400)


# A folder under addresses of an object store, up to Hadoop.


def test_hadoop_finds_the_folder_behind_the_root(tmp_path: Path) -> None:
    assert Mount("s3://lake/tables", tmp_path).hadoop() == {
        "fs.s3.impl": VIEW,
        "fs.s3a.impl": VIEW,
        "fs.viewfs.mounttable.lake.link./tables": tmp_path.as_uri(),
    }


def test_a_table_has_an_address_and_a_folder(tmp_path: Path) -> None:
    place = Mount("s3a://lake/tables", tmp_path).place("trips")
    assert (place.address, place.folder) == ("s3a://lake/tables/trips", tmp_path / "trips")


def test_what_is_shown_at_an_address_is_the_last_tree(tmp_path: Path) -> None:
    mount = Mount("s3a://lake/tables", tmp_path / "behind")
    mount.folder.mkdir()
    for stage in ("1", "2"):
        (tmp_path / stage).mkdir()
        (tmp_path / stage / "content").write_text(stage)
        assert mount.show("trips", tmp_path / stage) == "s3a://lake/tables/trips"
        assert (mount.place("trips").folder / "content").read_text() == stage
