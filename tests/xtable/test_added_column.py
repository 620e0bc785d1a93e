"""What gets a new column into a Delta table that Delta Kernel writes (XTF-069): each way, on history_add_column.

The table is the recorded one. Before its last commit it is as it was: without that commit, and without its file.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from deltalake import DeltaTable, Field
from deltalake.schema import PrimitiveType

from lab.stack.versions import releases
from spark_jobs.battery.tables import BATTERY
from spark_jobs.battery.timeline import completed
from tests.xtable.test_recorded_edges import packed
from xtable.sync import Translator
from xtable.writer import KERNEL, STANDALONE, Writer

pytestmark = pytest.mark.jvm

NAME = "history_add_column"
Sync = Callable[[Writer], None]
Way = Callable[[Path, Callable[[], None], Sync], None]


def kernel_syncs(table: Path, commit: Callable[[], None], sync: Sync) -> None:
    commit()
    sync(KERNEL)


def standalone_makes_the_next_sync(table: Path, commit: Callable[[], None], sync: Sync) -> None:
    commit()
    sync(STANDALONE)


def the_column_is_added_before_the_sync(table: Path, commit: Callable[[], None], sync: Sync) -> None:
    add_column(table)
    kernel_syncs(table, commit, sync)


def the_column_is_added_after_the_sync(table: Path, commit: Callable[[], None], sync: Sync) -> None:
    kernel_syncs(table, commit, sync)
    add_column(table)


def the_log_is_moved_away(table: Path, commit: Callable[[], None], sync: Sync) -> None:
    kernel_syncs(table, commit, sync)
    shutil.move(table / KERNEL.folder, table.with_name("moved"))
    sync(KERNEL)


def add_column(table: Path) -> None:
    """As ALTER TABLE … ADD COLUMNS does."""
    DeltaTable(str(table)).alter.add_columns([Field("extra", PrimitiveType("double"))])


WAYS = (
    standalone_makes_the_next_sync,
    the_column_is_added_before_the_sync,
    the_column_is_added_after_the_sync,
    the_log_is_moved_away,
)


def synced(way: Way, translator: Translator, folder: Path) -> DeltaTable:
    """What the way leaves, after one more sync by Kernel without new commits."""
    source, table = packed() / NAME, folder / NAME
    last = max(completed(source))
    shutil.copytree(source, table, ignore=shutil.ignore_patterns(f"*{last}*", "part=c"))

    def sync(writer: Writer) -> None:
        translator.sync("HUDI", str(table), NAME, BATTERY[NAME].partition_spec, writer=writer)

    def commit() -> None:
        shutil.copytree(source, table, dirs_exist_ok=True)

    sync(KERNEL)
    way(table, commit, sync)
    sync(KERNEL)
    return DeltaTable(str(table))


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_new_column_can_be_queried(way: Way, translator: Translator, tmp_path: Path) -> None:
    rows = synced(way, translator, tmp_path).to_pyarrow_table()
    assert sorted(rows["extra"].to_pylist(), key=str) == [1.5, *[None] * 5]


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
def test_a_sync_by_kernel_alone_leaves_it_out(translator: Translator, tmp_path: Path) -> None:
    assert "extra" not in synced(kernel_syncs, translator, tmp_path).to_pyarrow_table().column_names
