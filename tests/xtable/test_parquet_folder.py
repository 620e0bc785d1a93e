"""XTable reads a folder of Parquet files, and writes logs in it, at addresses of the local disk, which a mount has."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lab.provision.history import put_in_place
from lab.stack.jars import is_resolvable
from lab.stack.versions import releases
from lab.store.disk import Disk
from spark_jobs.battery.folder import NOON, live, write
from spark_jobs.battery.parquet import FOLDERS
from xtable.report import SyncFailed
from xtable.sync import Translator
from xtable.writer import KERNEL
from xtable_audit.formats.registered import read_stored
from xtable_audit.model.objects import Objects

PREFIX = "tables/t"
FIRST_CHECKPOINT = 10
"""The version with which a checkpoint comes, a Parquet file in the log's folder."""
FIRST = [one for one in releases() if one.parquet][-1]
"""The first release that reads such folders."""

pytestmark = [
    pytest.mark.jvm,
    pytest.mark.slow,
    pytest.mark.skipif(not is_resolvable(FIRST), reason=f"XTable {FIRST} does not resolve here"),
]


def test_a_folder_is_translated_where_it_is_mounted(tmp_path: Path) -> None:
    (tmp_path / "written").mkdir()
    write(FOLDERS["parquet_append"], tmp_path / "written")
    disk = Disk(tmp_path / "run", "lake")
    locally = disk.mounted_locally()
    with disk.in_translation(PREFIX), Translator.start(FIRST, locally, tmp_path / "logs") as translator:
        for stage in (tmp_path / "written" / "1", tmp_path / "written" / "2"):
            put_in_place(locally, PREFIX, stage)
            synced = translator.sync("PARQUET", locally.uri(PREFIX), "t")
            paths = read_stored(Objects(locally.filesystem), synced.metadata_location).paths
            assert {*paths} == {locally.uri(f"{PREFIX}/{name}") for name in live(stage)}


def test_no_sync_comes_through_once_the_folder_has_a_checkpoint_of_deltas(tmp_path: Path) -> None:
    """XTable takes it for a data file: as does the log of Delta Standalone, which takes a minute and is left out."""
    disk = Disk(tmp_path / "run", "lake")
    locally = disk.mounted_locally()
    with disk.in_translation(PREFIX), Translator.start(FIRST, locally, tmp_path / "logs") as translator:
        folder = locally.folder / "lake" / PREFIX

        def sync(mode: str = "INCREMENTAL") -> None:
            translator.sync("PARQUET", locally.uri(PREFIX), "t", mode=mode, writer=KERNEL)

        for number in range(FIRST_CHECKPOINT + 1):
            append(folder, number)
            sync()
        assert (folder / "_delta_log" / f"{FIRST_CHECKPOINT:020d}.checkpoint.parquet").is_file()
        append(folder, FIRST_CHECKPOINT + 1)
        for mode in ("INCREMENTAL", "FULL"):
            with pytest.raises(SyncFailed, match="No field found for path"):
                sync(mode)


def append(folder: Path, number: int) -> None:
    """A newer file of one row."""
    pq.write_table(pa.table({"i": pa.array([number], pa.int32())}), folder / f"{number}.parquet")
    os.utime(folder / f"{number}.parquet", (NOON + 60 * number,) * 2)


def test_a_folder_in_a_store_is_not_translated(tmp_path: Path) -> None:
    """Why `--source-format parquet` leaves out the store: XTable asks Java for the path of its address."""
    (tmp_path / "written").mkdir()
    write(FOLDERS["parquet_append"], tmp_path / "written")
    with Disk(tmp_path / "run", "lake").in_translation(PREFIX) as mounted:
        put_in_place(mounted, PREFIX, tmp_path / "written" / "1")
        with Translator.start(FIRST, mounted, tmp_path / "logs") as translator, pytest.raises(SyncFailed) as failed:
            translator.sync("PARQUET", mounted.uri(PREFIX), "t")
    assert "FileSystemNotFoundException" in str(failed.value)
