"""A folder under addresses of an object store, up to Hadoop."""

from __future__ import annotations

from pathlib import Path

from lab.stack.mount import VIEW, Mount


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
