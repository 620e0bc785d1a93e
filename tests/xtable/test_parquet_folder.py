"""XTable reads a folder of Parquet files, and writes logs in it, at addresses of the local disk, which a mount has."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.provision.history import put_in_place
from lab.stack.jars import is_resolvable
from lab.stack.versions import releases
from lab.store.disk import Disk
from spark_jobs.battery.folder import live, write
from spark_jobs.battery.parquet import FOLDERS
from xtable.report import SyncFailed
from xtable.sync import Translator
from xtable_audit.formats.registered import read_stored
from xtable_audit.model.objects import Objects

PREFIX = "tables/t"
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


def test_a_folder_in_a_store_is_not_translated(tmp_path: Path) -> None:
    """Why `--source-format parquet` leaves out the store: XTable asks Java for the path of its address."""
    (tmp_path / "written").mkdir()
    write(FOLDERS["parquet_append"], tmp_path / "written")
    with Disk(tmp_path / "run", "lake").in_translation(PREFIX) as mounted:
        put_in_place(mounted, PREFIX, tmp_path / "written" / "1")
        with Translator.start(FIRST, mounted, tmp_path / "logs") as translator, pytest.raises(SyncFailed) as failed:
            translator.sync("PARQUET", mounted.uri(PREFIX), "t")
    assert "FileSystemNotFoundException" in str(failed.value)
