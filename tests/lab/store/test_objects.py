"""Folders of objects, up, down and listed."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from moto.s3.utils import _VersionedKeyStore as Keys

from lab.store import objects
from lab.store.address import Workspace
from lab.store.moto_server import items, list_at_one_moment
from lab.store.running import RunningStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.txt", "p=é 1/b+c.txt", "p=a%2Fb/c.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name, "utf-8")
    return tmp_path


@pytest.fixture
def keys() -> Keys:
    found = Keys()
    for key in ("a", "b"):
        found[key] = f"object {key}"
    return found


# Folders of objects, up and down.


def test_a_folder_comes_back_as_it_went_up(
    moto_store: RunningStore, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    back = tmp_path_factory.mktemp("back")
    objects.upload(moto_store.store, "trip", folder)
    objects.download(moto_store.store, "trip", back)
    assert contents(back) == contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_listing_has_the_sizes_below_the_folder_and_of_no_neighbour(moto_store: RunningStore) -> None:
    for key in ("here/a", "here2/b"):
        objects.write(moto_store.store, key, b"123")
    assert objects.list_objects(moto_store.store, "here") == {"here/a": 3}


def test_deleting_a_folder_leaves_its_neighbour(moto_store: RunningStore) -> None:
    for key in ("gone/a", "gone/b/c", "gone2/d"):
        objects.write(moto_store.store, key, b"")
    assert objects.delete(moto_store.store, "gone") == 2
    assert list(objects.list_objects(moto_store.store, "gone2")) == ["gone2/d"]


def test_deleting_what_is_not_there_deletes_nothing(moto_store: RunningStore) -> None:
    assert objects.delete(moto_store.store, "never") == 0


def times(store: Workspace, prefix: str) -> dict[str, datetime]:
    listed = objects.client(store).list_objects_v2(Bucket=store.bucket, Prefix=prefix)["Contents"]
    return {item["Key"].rpartition("/")[2]: item["LastModified"] for item in listed}


@pytest.fixture
def restored(moto_store: RunningStore, tmp_path: Path) -> tuple[dict[str, datetime], dict[str, datetime]]:
    """The times of a table's objects before and after a stage that changes one and brings two more, in turn."""
    store = moto_store.store
    for name in ("same", "changed", "gone"):
        (tmp_path / name).write_text(name)
    objects.restore(store, "staged", tmp_path)
    before = times(store, "staged/")
    (tmp_path / "gone").unlink()
    for name in ("changed", "2.json", "1.json"):
        (tmp_path / name).write_text(f"{name} of the next stage")
    objects.restore(store, "staged", tmp_path, in_turn=lambda key: key.endswith(".json"))
    return before, times(store, "staged/")


Times = tuple[dict[str, datetime], dict[str, datetime]]


def test_an_object_that_stays_the_same_keeps_its_time(restored: Times) -> None:
    before, after = restored
    assert after["same"] == before["same"]


def test_an_object_of_which_the_next_stage_has_no_file_is_gone(restored: Times) -> None:
    assert set(restored[1]) == {"same", "changed", "1.json", "2.json"}


def test_objects_that_come_in_one_second_share_it(moto_store: RunningStore, tmp_path: Path) -> None:
    for name in ("2.json", "1.json", "3.json"):
        (tmp_path / name).write_text(name)
    objects.restore(moto_store.store, "shared", tmp_path, in_turn=lambda key: True, in_one_second=True)
    assert len(set(times(moto_store.store, "shared/").values())) == 1


def test_objects_that_come_in_turn_have_seconds_of_their_own(restored: Times) -> None:
    _, after = restored
    assert after["changed"] < after["1.json"] < after["2.json"]


# A listing does not fail because another request deletes an object meanwhile.


def test_moto_itself_fails(keys: Keys) -> None:
    """Once it does not, `list_at_one_moment` has no use any more."""
    listing = Keys._iteritems(keys)
    next(listing)
    dict.pop(keys, "b")
    with pytest.raises(KeyError, match="b"):
        next(listing)


def test_object_that_is_deleted_meanwhile_is_listed(keys: Keys) -> None:
    listing = items(keys)
    next(listing)
    dict.pop(keys, "b")
    assert list(listing) == [("b", "object b")]


def test_server_lists_at_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Keys, "items", Keys._iteritems)
    list_at_one_moment()
    assert Keys.items is items
