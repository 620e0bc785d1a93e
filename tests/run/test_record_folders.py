"""Recorded folders of Parquet files are what Arrow writes, and are translated where XTable reads such folders."""

from __future__ import annotations

from pathlib import Path

from lab.recording.battery import by_way
from lab.stack.cache import Cache
from spark_jobs.battery.folder import write
from spark_jobs.battery.parquet import FOLDERS
from tests.of_each import of_each
from xtable.replay import FOLDER_RECORDINGS, SOURCES, unpacked


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@of_each("name", FOLDERS)
def test_what_is_recorded_is_what_arrow_writes(tmp_path: Path, name: str) -> None:
    recorded = unpacked(FOLDER_RECORDINGS, Cache()) / SOURCES / name
    folder = tmp_path / name
    folder.mkdir()
    write(table := FOLDERS[name], folder)
    assert files(recorded) == files(folder / str(len(table.stages)))


def test_folders_are_recorded_at_addresses_of_this_disk() -> None:
    assert by_way(["delta_plain", "parquet_plain"], "store") == {"store": ["delta_plain"], "local": ["parquet_plain"]}
