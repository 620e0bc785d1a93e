"""What a store knows of data files, without reading them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from xtable_audit.model.objects import Objects
from xtable_audit.model.wanted import DataFile, DataFiles, Wanted, WantedColumn
from xtable_audit.scan import local
from xtable_audit.scan.local import LocalScanner
from xtable_audit.values.measure_file import measure_file


class Failing(Objects):
    """A store that does not answer for one file, nor for those that are asked for with it."""

    def infos(self, uris: Sequence[str]) -> list[fs.FileInfo | None]:
        if any(uri.endswith("/2") for uri in uris):
            raise OSError("the store is gone")
        return super().infos(uris)


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    """Files of 0, 1, … bytes."""
    made = [tmp_path / str(size) for size in range(5)]
    for size, path in enumerate(made):
        path.write_bytes(b"x" * size)
    return [str(path) for path in made]


def looked_up(objects: type[Objects], paths: Sequence[str]) -> dict[str, list[int | None]]:
    found: dict[str, list[int | None]] = (
        LocalScanner(objects(fs.LocalFileSystem())).look_up(DataFiles.at(paths)).to_pydict()
    )
    return found


@pytest.mark.parametrize("at_once", [1, 2, 100])
def test_size_and_time_are_those_of_each_file(paths: list[str], at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "LOOKED_UP", at_once)
    times = [Path(path).stat().st_mtime_ns for path in paths]
    assert looked_up(Objects, paths) == {"size": [*range(5)], "modified": times}


def test_a_file_that_is_gone_has_neither(paths: list[str]) -> None:
    Path(paths[1]).unlink()
    found = looked_up(Objects, paths)
    assert (found["size"], found["modified"][1]) == ([0, None, 2, 3, 4], None)


def test_a_file_that_the_store_does_not_answer_for_has_neither(
    paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "LOOKED_UP", 1)
    assert looked_up(Failing, paths)["size"] == [0, 1, None, 3, 4]


@dataclass(frozen=True)
class Counted(Objects):
    """Counts what it is asked for."""

    asked: Counter[str] = field(default_factory=Counter)

    def open(self, uri: str) -> pa.NativeFile:
        self.asked["open"] += 1
        return super().open(uri)

    def size(self, uri: str) -> int | None:
        self.asked["size"] += 1
        return super().size(uri)


def test_a_file_that_opens_is_measured_without_another_look(tmp_path: Path) -> None:
    path = str(tmp_path / "a.parquet")
    pq.write_table(pa.table({"a": [1, 2]}), path)
    counted = Counted(fs.LocalFileSystem())
    found = measure_file(counted, DataFile(path), Wanted((WantedColumn(1, "a", pa.int64()),)))
    assert (found.record_count, counted.asked) == (2, {"open": 1})


def test_no_file_is_no_row() -> None:
    assert looked_up(Objects, []) == {"size": [], "modified": []}
