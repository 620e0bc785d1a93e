"""Objects that are remembered are fetched once, and say of themselves what the store says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import fs

from xtable_audit.formats import folder as formats_folder
from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.limits import in_rounds
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import SMALL, Objects, Remembered
from xtable_audit.model.problem import Unreachable

KINDS: tuple[Callable[[fs.FileSystem], Objects], ...] = (Objects, Remembered)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bucket").mkdir()
    (tmp_path / "bucket" / "small").write_bytes(b"few bytes")
    (tmp_path / "bucket" / "large").write_bytes(bytes(SMALL + 1))
    return tmp_path


def over(folder: Path, kind: Callable[[fs.FileSystem], Objects]) -> Objects:
    return kind(fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem()))


@pytest.mark.parametrize("kind", KINDS)
def test_an_address_inside_another_one_is_no_objects(folder: Path, kind: Callable[[fs.FileSystem], Objects]) -> None:
    """A disk takes two slashes for one, and has such a file."""
    within = folder / "bucket" / "s3a:" / "bucket"
    within.mkdir(parents=True)
    (within / "small").write_bytes(b"few bytes")
    objects, twice = over(folder, kind), "s3://bucket/s3a://bucket/small"
    assert (objects.size(twice), objects.infos([twice])) == (None, [None])
    with pytest.raises(FileNotFoundError):
        objects.open(twice)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "size"), [("small", 9), ("large", SMALL + 1), ("absent", None)])
def test_an_object_has_the_size_that_the_store_says(
    folder: Path, kind: Callable[[fs.FileSystem], Objects], name: str, size: int | None
) -> None:
    assert over(folder, kind).size(f"s3://bucket/{name}") == size


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["small", "large"])
def test_an_object_is_read_whole(folder: Path, kind: Callable[[fs.FileSystem], Objects], name: str) -> None:
    assert over(folder, kind).read(f"s3a://bucket/{name}") == (folder / "bucket" / name).read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_can_be_read_at_any_place(folder: Path, kind: Callable[[fs.FileSystem], Objects]) -> None:
    with over(folder, kind).open("s3://bucket/small") as source:
        assert source.read_at(5, 4) == b"bytes"


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_that_is_not_there_is_malformed_to_read(
    folder: Path, kind: Callable[[fs.FileSystem], Objects]
) -> None:
    with pytest.raises(Malformed, match="does not exist"):
        over(folder, kind).read("s3://bucket/absent")


class Down(fs.FileSystemHandler):  # type: ignore[misc]
    """A store that answers every request with these words."""

    def __init__(self, words: str) -> None:
        self._words = words

    def _fail(self, *_: object, **__: object) -> None:
        raise OSError(self._words)

    get_type_name = normalize_path = copy_file = create_dir = delete_dir = delete_dir_contents = _fail
    delete_file = delete_root_dir_contents = get_file_info = get_file_info_selector = move = _fail
    open_append_stream = open_input_file = open_input_stream = open_output_stream = _fail


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "words",
    [
        "AWS Error NETWORK_CONNECTION during GetObject operation: curlCode: 7, Couldn't connect",
        "AWS Error ACCESS_DENIED during HeadObject operation: No response body.",
        "AWS Error UNKNOWN (HTTP status 400) during HeadObject operation",
    ],
    ids=["down", "closed to us", "an expired token"],
)
def test_a_store_that_fails_says_nothing_of_the_table(kind: Callable[[fs.FileSystem], Objects], words: str) -> None:
    """Else a store that is down would be a finding."""
    with pytest.raises(Unreachable, match="AWS Error"):
        kind(fs.PyFileSystem(Down(words))).read("s3://bucket/any")


@pytest.mark.parametrize("kind", KINDS)
def test_a_store_that_reports_no_size_is_malformed(folder: Path, kind: Callable[[fs.FileSystem], Objects]) -> None:
    objects = over(folder, kind)

    class Gone:
        def __getattr__(self, name: str) -> object:
            raise OSError("the store is gone")

    object.__setattr__(objects, "filesystem", Gone())
    with pytest.raises(Malformed, match="cannot be looked up: the store is gone"):
        objects.size("s3://bucket/small")


def test_a_small_object_is_fetched_once(folder: Path) -> None:
    objects = over(folder, Remembered)
    objects.size("s3://bucket/small")
    (folder / "bucket" / "small").unlink()
    assert objects.read("s3://bucket/small") == b"few bytes"


def test_a_large_object_is_not_kept_in_memory(folder: Path) -> None:
    objects = over(folder, Remembered)
    objects.read("s3://bucket/large")
    (folder / "bucket" / "large").unlink()
    assert objects.size("s3://bucket/large") is None


def test_an_object_that_is_not_there_yet_is_looked_for_again(folder: Path) -> None:
    objects = over(folder, Remembered)
    before = objects.size("s3://bucket/late")
    (folder / "bucket" / "late").write_bytes(b"now")
    assert (before, objects.size("s3://bucket/late")) == (None, 3)


def test_what_is_remembered_can_be_closed_and_opened_again(folder: Path) -> None:
    objects = over(folder, Remembered)
    with objects.open("s3://bucket/small") as first:
        first.read()
    with objects.open("s3://bucket/small") as second:
        assert isinstance(second, pa.BufferReader)
        assert second.read() == b"few bytes"


@pytest.mark.parametrize(
    ("sizes", "rounds"),
    [
        ([4, 6, 1], [[4, 6], [1]]),
        ([11, 1], [[11], [1]]),
        ([1, 11, 11], [[1], [11], [11]]),
        ([0, 0, 10, 0], [[0, 0, 10, 0]]),
        ([], []),
    ],
    ids=[
        "up to a limit",
        "a larger one alone",
        "each larger one alone",
        "empty ones with others",
        "of none there is none",
    ],
)
def test_objects_are_held_in_rounds(sizes: list[int], rounds: list[list[int]]) -> None:
    assert list(in_rounds(sizes, int, 10)) == rounds


def test_of_a_folder_no_more_is_read_than_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three commits of six bytes the first is used before the second is read."""
    read: list[str] = []

    @dataclass(frozen=True)
    class Noting(Objects):
        def read(self, uri: str, offset: int = 0, length: int | None = None) -> bytes:
            read.append(uri[-1])
            return super().read(uri, offset, length)

    monkeypatch.setattr(formats_folder, "HELD", 10)
    for name in "abc":
        (tmp_path / name).write_bytes(b"commit")
    folder = TableFolder(str(tmp_path), Noting(fs.LocalFileSystem(), at_once=64))
    assert [(content, len(read)) for content in folder.read_all("abc")] == [(b"commit", at) for at in (1, 2, 3)]
