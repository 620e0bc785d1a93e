"""Why no remedy rewrites the files of a Delta table that XTable writes (OPTIMIZE): the next sync doubles its rows."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from deltalake import DeltaTable

from lab.stack.versions import releases
from spark_jobs.battery.tables import BATTERY
from spark_jobs.battery.timeline import completed
from tests.xtable.test_recorded_edges import packed
from xtable.sync import Translator
from xtable.writer import DELTA, Writer

pytestmark = pytest.mark.jvm

NAME = "history_upsert"


def rows_after_the_next_sync(translator: Translator, writer: Writer, folder: Path, *, rewritten: bool) -> Counter[str]:
    """By key. At the first sync the table is as after its first commit."""
    source, table = packed() / NAME, folder / NAME
    later = sorted(completed(source))[1:]
    shutil.copytree(source, table, ignore=shutil.ignore_patterns(*(f"*{instant}*" for instant in later)))
    translator.sync("HUDI", str(table), NAME, BATTERY[NAME].partition_spec, writer=writer)
    if rewritten:
        DeltaTable(str(table)).optimize.z_order(["record_key"])
    shutil.copytree(source, table, dirs_exist_ok=True)
    translator.sync("HUDI", str(table), NAME, BATTERY[NAME].partition_spec, writer=writer)
    return Counter(DeltaTable(str(table)).to_pyarrow_table()["record_key"].to_pylist())


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
@pytest.mark.parametrize("writer", DELTA, ids=lambda writer: writer.id)
@pytest.mark.parametrize("rewritten", [False, True], ids=["as it was synced", "rewritten"])
def test_rows_come_twice_once_the_files_were_rewritten(
    translator: Translator, writer: Writer, tmp_path: Path, rewritten: bool
) -> None:
    rows = rows_after_the_next_sync(translator, writer, tmp_path, rewritten=rewritten)
    new = {"a4": 1}
    assert rows == dict.fromkeys(("a1", "a2", "a3", "b1", "b2"), 1 + rewritten) | new
