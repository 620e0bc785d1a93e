"""The script that writes a folder of Parquet files: what it writes is what the battery writes, at the same times."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.parquet as pq
import pytest

from spark_jobs.battery.folder import write
from spark_jobs.battery.parquet import FOLDERS
from tests.of_each import of_each
from tools.reproduce.arrow_script import placed
from tools.reproduce.finding import KIT_FOLDER

Files = Mapping[str, tuple[int, Any]]
"""By the path below the folder: the time of modification in seconds, and the rows."""


def files(folder: Path) -> Files:
    found = sorted(path for path in folder.rglob("*.parquet"))
    return {str(path.relative_to(folder)): (int(path.stat().st_mtime), pq.read_table(path)) for path in found}


class Synced:
    """In place of the kit's: a sync keeps what is there."""

    root = Path()
    states: list[Files]

    def __init__(self, name: str, format: str, spec: str) -> None:
        assert format == "PARQUET"
        self.folder, self.spec = Synced.root / name, spec
        Synced.states = []

    def sync(self) -> None:
        Synced.states.append(files(self.folder))

    def close(self) -> None:
        assert Synced.states


@pytest.fixture
def kit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    synced = ModuleType("synced")
    synced.__dict__["Synced"] = Synced
    monkeypatch.setitem(sys.modules, "synced", synced)
    monkeypatch.syspath_prepend(os.fspath(KIT_FOLDER))
    monkeypatch.delitem(sys.modules, "folder", raising=False)
    monkeypatch.setattr(Synced, "root", tmp_path / "by the script")


@of_each("name", FOLDERS)
def test_a_script_writes_what_the_battery_writes(name: str, kit: None, tmp_path: Path) -> None:
    del kit
    (tmp_path / name).mkdir()
    facts = write(FOLDERS[name], tmp_path / name)
    exec(compile(placed(FOLDERS[name], name), f"{name}.py", "exec"), {})
    wanted = [files(tmp_path / name / str(number)) for number, _ in enumerate(facts["stages"], start=1)]
    assert Synced.states == wanted
