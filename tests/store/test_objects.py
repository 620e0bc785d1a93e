"""Folders of objects, up and down."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import objects
from store.running import RunningStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.txt", "p=é 1/b+c.txt", "p=a%2Fb/c.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name, "utf-8")
    return tmp_path


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
