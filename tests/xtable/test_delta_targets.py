"""What XTable leaves in Delta tables, which findings and remedies rest on: columns, counts, bounds, files."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from deltalake import DeltaTable, Field
from deltalake.schema import PrimitiveType

from lab.stack.versions import releases
from spark_jobs.battery.tables import BATTERY
from spark_jobs.battery.timeline import completed
from tests.spark_jobs.test_edges import packed
from xtable.sync import Translator
from xtable.writer import DELTA, KERNEL, STANDALONE, Writer

pytestmark = pytest.mark.jvm
ADD_COLUMN = "history_add_column"
Sync = Callable[[Writer], None]
Way = Callable[[Path, Callable[[], None], Sync], None]
COUNTED, LEFT_OUT = {dict}, {type(None)}
SYNCS = {
    "Standalone, by Hudi's index": (STANDALONE, "types_lists_index"),
    "Kernel, by the footers": (KERNEL, "types_lists_plain"),
    "Kernel, by Hudi's index": (KERNEL, "types_lists_index"),
}
UPSERT = "history_upsert"
BEFORE_1970 = {
    "a microsecond": (-1, "1970-01-01T00:00:00.999Z"),
    "a second and a microsecond": (-1_000_001, "1969-12-31T23:59:59.999Z"),
    "a second": (-1_000_000, "1969-12-31T23:59:59.000Z"),
    "seventy years": (-2_208_988_800_000_000, "1900-01-01T00:00:00.000Z"),
}
"""Microseconds from the epoch, and what is written: a second late, but for whole seconds, which are the remedy."""


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
    source, table = packed() / ADD_COLUMN, folder / ADD_COLUMN
    last = max(completed(source))
    shutil.copytree(source, table, ignore=shutil.ignore_patterns(f"*{last}*", "part=c"))

    def sync(writer: Writer) -> None:
        translator.sync("HUDI", str(table), ADD_COLUMN, BATTERY[ADD_COLUMN].partition_spec, writer=writer)

    def commit() -> None:
        shutil.copytree(source, table, dirs_exist_ok=True)

    sync(KERNEL)
    way(table, commit, sync)
    sync(KERNEL)
    return DeltaTable(str(table))


def rows_after_the_next_sync(translator: Translator, writer: Writer, folder: Path, *, rewritten: bool) -> Counter[str]:
    """By key. At the first sync the table is as after its first commit."""
    source, table = packed() / UPSERT, folder / UPSERT
    later = sorted(completed(source))[1:]
    shutil.copytree(source, table, ignore=shutil.ignore_patterns(*(f"*{instant}*" for instant in later)))
    translator.sync("HUDI", str(table), UPSERT, BATTERY[UPSERT].partition_spec, writer=writer)
    if rewritten:
        DeltaTable(str(table)).optimize.z_order(["record_key"])
    shutil.copytree(source, table, dirs_exist_ok=True)
    translator.sync("HUDI", str(table), UPSERT, BATTERY[UPSERT].partition_spec, writer=writer)
    return Counter(DeltaTable(str(table)).to_pyarrow_table()["record_key"].to_pylist())


# What gets a new column into a Delta table that Delta Kernel writes (XTF-069): each way, on history_add_column.
#
# The table is the recorded one. Before its last commit it is as it was: without that commit, and without its file.


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_new_column_can_be_queried(way: Way, translator: Translator, tmp_path: Path) -> None:
    rows = synced(way, translator, tmp_path).to_pyarrow_table()
    assert sorted(rows["extra"].to_pylist(), key=str) == [1.5, *[None] * 5]


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
def test_a_sync_by_kernel_alone_leaves_it_out(translator: Translator, tmp_path: Path) -> None:
    assert "extra" not in synced(kernel_syncs, translator, tmp_path).to_pyarrow_table().column_names


# Of which syncs the Delta log counts the nulls of a map's keys and values (XTF-075), and of which of nothing in it.


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
@pytest.mark.parametrize(("writer", "name"), SYNCS.values(), ids=SYNCS.keys())
def test_every_other_sync_leaves_them_out(translator: Translator, tmp_path: Path, writer: Writer, name: str) -> None:
    table = shutil.copytree(packed() / name, tmp_path / name)
    translator.sync("HUDI", str(table), name, writer=writer)
    assert counted(table) == LEFT_OUT


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
def test_standalone_counts_by_the_footers_until_the_log_is_moved_away(translator: Translator, tmp_path: Path) -> None:
    name = "types_lists_plain"
    table = shutil.copytree(packed() / name, tmp_path / name)
    translator.sync("HUDI", str(table), name, writer=STANDALONE)
    assert counted(table) == COUNTED
    translator.sync("HUDI", str(table), name, writer=KERNEL)
    assert counted(table) == COUNTED
    shutil.move(table / KERNEL.folder, tmp_path / "moved")
    translator.sync("HUDI", str(table), name, writer=KERNEL)
    assert counted(table) == LEFT_OUT


def counted(table: Path) -> set[type]:
    """Of which types a map's null counts are, in the files of the table's first commit."""
    log = table / KERNEL.folder / f"{0:020}.json"
    logged = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    counts = [json.loads(one["add"]["stats"])["nullCount"] for one in logged if "add" in one]
    assert all("record_key" in one for one in counts)
    return {type(one.get("kv")) for one in counts}


# Why no remedy rewrites the files of a Delta table that XTable writes (OPTIMIZE): the next sync doubles its rows.


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
@pytest.mark.parametrize("writer", DELTA, ids=lambda writer: writer.id)
@pytest.mark.parametrize("rewritten", [False, True], ids=["as it was synced", "rewritten"])
def test_rows_come_twice_once_the_files_were_rewritten(
    translator: Translator, writer: Writer, tmp_path: Path, rewritten: bool
) -> None:
    rows = rows_after_the_next_sync(translator, writer, tmp_path, rewritten=rewritten)
    new = {"a4": 1}
    assert rows == dict.fromkeys(("a1", "a2", "a3", "b1", "b2"), 1 + rewritten) | new


# Delta Kernel's own class writes bounds of timestamps before 1970 (XTF-072): no code of XTable's has a part in it.


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
@pytest.mark.parametrize(("micros", "written"), BEFORE_1970.values(), ids=BEFORE_1970.keys())
def test_only_whole_seconds_are_right(translator: Translator, micros: int, written: str) -> None:
    java = translator.jvm.java
    kernel = java.io.delta.kernel
    kind = kernel.types.TimestampType.TIMESTAMP
    literal = kernel.expressions.Literal.ofTimestamp(java.java.lang.Long(micros))
    bounds = java.java.util.Map.of(kernel.expressions.Column("at"), literal)
    statistics = kernel.statistics.DataFileStatistics(1, bounds, bounds, java.java.util.Map.of())
    stored = json.loads(statistics.serializeAsJson(kernel.types.StructType().add("at", kind)))
    assert (stored["minValues"]["at"], stored["maxValues"]["at"]) == (written, written)
