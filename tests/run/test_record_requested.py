"""Recorded folders of Parquet files are what Arrow writes, recorded tables of Paimon and Iceberg are those of their
entries; XTable translates each where it reads such tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from lab.provision.plan import PAIMON, WITHOUT_LOG, Plan
from lab.recording.battery import by_way
from lab.stack.cache import Cache
from spark_jobs.battery.folder import write
from spark_jobs.battery.iceberg_source import ICEBERG_TABLES
from spark_jobs.battery.paimon import PAIMON_TABLES
from spark_jobs.battery.parquet import FOLDERS
from spark_jobs.battery.table import BatteryTable
from tests.of_each import of_each
from xtable.replay import SOURCES, checked, unpacked
from xtable_audit.model.subject_id import ICEBERG


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@of_each("name", FOLDERS)
def test_what_is_recorded_is_what_arrow_writes(tmp_path: Path, name: str) -> None:
    recorded = unpacked(Plan(source_format=WITHOUT_LOG).archives, Cache()) / SOURCES / name
    folder = tmp_path / name
    folder.mkdir()
    write(table := FOLDERS[name], folder)
    assert files(recorded) == files(folder / str(len(table.stages)))


@pytest.mark.parametrize(
    ("format", "tables"), [(PAIMON, PAIMON_TABLES), (ICEBERG, ICEBERG_TABLES)], ids=["paimon", "iceberg"]
)
def test_tables_are_recorded_as_their_entries_have_them(format: str, tables: Mapping[str, BatteryTable]) -> None:
    """Names of their files are drawn, so no bytes are compared: the library would write them in this way today."""
    recorded = checked(unpacked(Plan(source_format=format).archives, Cache()) / SOURCES)
    assert recorded["keys"] == {name: table.key for name, table in tables.items()}


def test_folders_are_recorded_at_addresses_of_this_disk() -> None:
    assert by_way(["delta_plain", "parquet_plain"], "store") == {"store": ["delta_plain"], "local": ["parquet_plain"]}
