"""Recorded folders of Parquet files are what Arrow writes, recorded Paimon tables are those of their entries; XTable
translates each where it reads such tables."""

from __future__ import annotations

from pathlib import Path

from lab.provision.plan import PAIMON, WITHOUT_LOG, Plan
from lab.recording.battery import by_way
from lab.stack.cache import Cache
from spark_jobs.battery.folder import write
from spark_jobs.battery.paimon import PAIMON_TABLES
from spark_jobs.battery.parquet import FOLDERS
from tests.of_each import of_each
from xtable.replay import SOURCES, checked, unpacked


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@of_each("name", FOLDERS)
def test_what_is_recorded_is_what_arrow_writes(tmp_path: Path, name: str) -> None:
    recorded = unpacked(Plan(source_format=WITHOUT_LOG).archives, Cache()) / SOURCES / name
    folder = tmp_path / name
    folder.mkdir()
    write(table := FOLDERS[name], folder)
    assert files(recorded) == files(folder / str(len(table.stages)))


@of_each("name", PAIMON_TABLES)
def test_paimon_tables_are_recorded_as_their_entries_have_them(name: str) -> None:
    """Names of its files are drawn, so no bytes are compared: the library would write this entry in this way today."""
    recorded = checked(unpacked(Plan(source_format=PAIMON).archives, Cache()) / SOURCES)
    assert recorded["keys"][name] == PAIMON_TABLES[name].key


def test_folders_are_recorded_at_addresses_of_this_disk() -> None:
    assert by_way(["delta_plain", "parquet_plain"], "store") == {"store": ["delta_plain"], "local": ["parquet_plain"]}
