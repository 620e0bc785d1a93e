"""Of a store that makes each request wait, many are under way at once: manifests, delete files, data files."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import get_ident
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from tests.tables.deletes import of_vector, write_puffin
from tests.tables.opened_together import AT_ONCE, opened_together
from tools.benchmarks.synthetic_metadata import listed
from xtable_audit.formats.iceberg import manifests_ahead
from xtable_audit.formats.iceberg.delete_contents import read_delete_files
from xtable_audit.formats.iceberg.deletes import with_deletes
from xtable_audit.formats.iceberg.manifests_ahead import read_ahead
from xtable_audit.formats.iceberg.source_state import _beside
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFiles, Wanted, WantedColumn
from xtable_audit.scan import TINY, LocalScanner
from xtable_audit.table.deletions import EQUALITY, PARQUET, POSITION, PUFFIN, DeleteFile, Tuple, apply

SCHEMA = Schema(NestedField(1, "id", LongType(), required=False))
IDS = pa.schema([pa.field("id", pa.int64(), metadata={b"PARQUET:field_id": b"1"})])
PARTITION: Tuple = (0, ())
DISK = Objects(fs.LocalFileSystem())


def test_manifests_are_read_at_once(tmp_path: Path) -> None:
    same_as_from_disk(opened_together("-m0.avro$"), tmp_path)


def test_manifests_are_read_in_rounds_of_some_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifests_ahead, "HELD", 1)
    same_as_from_disk(Objects(fs.LocalFileSystem(), at_once=AT_ONCE), tmp_path)


def same_as_from_disk(objects: Objects, folder: Path) -> None:
    location = listed(folder / "table", 4 * AT_ONCE * 10, 10)
    found, expected = (read_stored_metrics(one, location) for one in (objects, DISK))
    assert found.files.equals(expected.files)
    assert all(table.equals(expected.columns[path]) for path, table in found.columns.items())


def content_of(listed: dict[str, object]) -> dict[str, bytes]:
    [(_, found)] = read_ahead(Objects(fs.LocalFileSystem(), at_once=99), [[listed]])
    return dict(found)


@pytest.mark.parametrize("beyond", [0, 1, -1], ids=["as it is", "less than it is", "more than it is"])
def test_a_manifest_is_read_ahead_if_it_is_as_long_as_the_list_says(tmp_path: Path, beyond: int) -> None:
    (tmp_path / "m.avro").write_bytes(b"12345")
    path = str(tmp_path / "m.avro")
    found = content_of({"manifest_path": path, "manifest_length": 5 - beyond})
    assert found == ({path: b"12345"} if beyond == 0 else {})


@pytest.mark.parametrize("length", [None, "5", -5], ids=str)
def test_a_list_that_says_no_length_has_none_read_ahead(tmp_path: Path, length: object) -> None:
    (tmp_path / "m.avro").write_bytes(b"12345")
    assert content_of({"manifest_path": str(tmp_path / "m.avro"), "manifest_length": length}) == {}


def test_a_manifest_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(Malformed, match="does not exist"):
        content_of({"manifest_path": str(tmp_path / "m.avro"), "manifest_length": 5})


def test_from_the_disk_nothing_is_read_ahead(tmp_path: Path) -> None:
    groups = [[{"manifest_path": str(tmp_path / "none"), "manifest_length": 5}]]
    assert list(read_ahead(DISK, groups)) == [(groups, {})]


def streamed(folder: Path) -> tuple[DataFiles, list[DeleteFile], list[tuple[str, int, Tuple]]]:
    data, deletes = [], []
    for number in range(2 * AT_ONCE):
        file, delete = (str(folder / f"{number}{name}.parquet") for name in ("", "-deletes"))
        pq.write_table(pa.table([np.array([number])], IDS), file)
        pq.write_table(pa.table([np.array([number])], IDS), delete)
        data.append((file, number, PARTITION))
        deletes.append(DeleteFile(delete, EQUALITY, "PARQUET", number + 1, PARTITION, (1,)))
    return DataFiles.at(path for path, *_ in data), deletes, data


def applied(objects: Objects, folder: Path) -> list[int]:
    files, deletes, data = streamed(folder)
    held = with_deletes(objects, files, apply(deletes, data, frozenset()), [SCHEMA])
    [together] = held.equality
    keys: list[int] = together.keys["id"].to_pylist()
    return keys


def contents(objects: Objects, folder: Path) -> list[int | None]:
    _, deletes, _ = streamed(folder)
    return [one.columns[1].min.as_py() for one in read_delete_files(objects, deletes, [SCHEMA])]


@pytest.mark.parametrize("read", [applied, contents])
def test_delete_files_are_read_at_once_and_kept_in_order(
    tmp_path: Path, read: Callable[[Objects, Path], list[int]]
) -> None:
    assert read(opened_together("-deletes.parquet$"), tmp_path) == [*range(2 * AT_ONCE)]


def test_a_file_of_many_vectors_is_read_once(tmp_path: Path) -> None:
    """What others lie between keeps its place."""
    file, read = tmp_path / "v.puffin", []
    deleted = {"a": [1], "b": [2, 3]}
    places = write_puffin(file, [of_vector(name, rows) for name, rows in deleted.items()])
    first, last = (
        DeleteFile(str(file), POSITION, PUFFIN, 1, PARTITION, (), name, offset=offset, length=length)
        for name, (offset, length) in zip(deleted, places, strict=True)
    )
    between = DeleteFile(str(tmp_path / "none"), EQUALITY, PARQUET, 1, PARTITION, (1,))

    @dataclass(frozen=True)
    class Noting(Objects):
        def read(self, uri: str, offset: int = 0, length: int | None = None) -> bytes:
            read.append(uri)
            return super().read(uri, offset, length)

    noting = Noting(fs.LocalFileSystem(), at_once=AT_ONCE)
    found = read_delete_files(noting, [first, between, last], [SCHEMA])
    assert [one.file for one in found] == [first, between, last]
    assert [{name: [*rows] for name, rows in one.targets.items()} for one in found] == [{"a": [1]}, {}, {"b": [2, 3]}]
    assert read == [str(file)]


def test_rows_that_vectors_of_one_file_remove_are_counted_of_each_data_file() -> None:
    """As an Iceberg source has them: XTable is judged by how many rows of a data file it leaves out."""
    data = [(name, 1, PARTITION) for name in ("a", "b")]
    vectors = [
        DeleteFile("v.puffin", POSITION, PUFFIN, 2, PARTITION, (), name, rows, offset=number, length=1)
        for number, (name, rows) in enumerate({"a": 3, "b": 5}.items())
    ]
    stored: Any = SimpleNamespace(deletions=apply(vectors, data, frozenset()))
    assert {path: found.deletes for path, found in _beside(DISK, stored)} == {"a": 3, "b": 5}


@dataclass(frozen=True)
class Watched(Objects):
    """Notes which threads open a file, each of which takes a while."""

    threads: set[int] = field(default_factory=set)

    def open(self, uri: str) -> pa.NativeFile:
        self.threads.add(get_ident())
        time.sleep(0.05)
        return super().open(uri)


@pytest.mark.parametrize(
    ("at_once", "large", "threads"),
    [(1, False, 1), (1, True, 3), (AT_ONCE, False, AT_ONCE)],
    ids=["tiny files of a disk by one thread", "larger ones by each core", "tiny files of a slow store by many"],
)
def test_data_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int, large: bool, threads: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    files, _, _ = streamed(tmp_path)
    if large:
        pq.write_table(pa.table([np.arange(TINY)], IDS), files.paths[-1])
    watched = Watched(fs.LocalFileSystem(), at_once=at_once)
    LocalScanner(watched).measure(files, Wanted((WantedColumn(1, "id", pa.int64()),)))
    assert len(watched.threads) == threads
