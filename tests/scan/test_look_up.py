"""What a store knows of data files, without reading them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pyarrow import fs

from xtable_audit.model.objects import Objects
from xtable_audit.model.wanted import DataFiles
from xtable_audit.scan import local
from xtable_audit.scan.local import LocalScanner


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


def test_no_file_is_no_row() -> None:
    assert looked_up(Objects, []) == {"size": [], "modified": []}
