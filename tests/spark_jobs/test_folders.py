"""Folders of Parquet files: entries, and what is written of them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lab.provision.plan import SMALL_TABLES
from spark_jobs.battery import folder, table
from spark_jobs.battery.folder import NOON, live, write
from spark_jobs.battery.parquet import FOLDERS, TABLES
from spark_jobs.battery.table import OF_FOLDERS, OF_ICEBERG, OF_PAIMON, BatteryTable, Placed
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES


def written(name: str, at: Path) -> Path:
    write(FOLDERS[name], at)
    return at


def stages(name: str, at: Path) -> list[set[str]]:
    """The live files after each stage."""
    root = written(name, at)
    return [{*live(root / str(number))} for number, _ in enumerate(FOLDERS[name].stages, start=1)]


def test_no_name_is_part_of_another() -> None:
    assert not [pair for pair in permutations([*FOLDERS, *BATTERY, *RECIPES], 2) if pair[0] in pair[1]]


def test_no_table_is_lost_by_a_name_used_twice() -> None:
    assert len(FOLDERS) == len(TABLES)


def test_every_name_tells_the_format() -> None:
    assert not [name for name in FOLDERS if not name.startswith("parquet_")]


@pytest.mark.parametrize("one", TABLES, ids=lambda one: one.name)
def test_every_table_is_written_as_its_steps_say(one: BatteryTable, tmp_path: Path) -> None:
    facts = write(one, tmp_path)
    for number, stage in enumerate(facts["stages"], start=1):
        files = [pq.read_metadata(tmp_path / str(number) / path).num_rows for path in live(tmp_path / str(number))]
        assert (stage["rows"], stage["words"]) == (sum(files), one.stages[number - 1])
        assert pq.read_metadata(tmp_path / f"{number}.rows.parquet").num_rows == stage["rows"]


@pytest.mark.parametrize(
    ("name", "minute"), [("parquet_append", 1), ("parquet_moved_in", -5), ("parquet_same_time", 0)]
)
def test_a_file_has_the_time_of_its_step(name: str, minute: int, tmp_path: Path) -> None:
    assert (written(name, tmp_path) / "2" / "c.parquet").stat().st_mtime == NOON + 60 * minute


@pytest.mark.parametrize(
    ("name", "files"),
    {
        "parquet_append": [{"a.parquet", "b.parquet"}, {"a.parquet", "b.parquet", "c.parquet"}],
        "parquet_one_deleted": [{"a.parquet", "b.parquet"}, {"a.parquet"}],
        "parquet_replaced": [{"a.parquet", "b.parquet"}, {"a.parquet", "c.parquet"}],
        "parquet_hidden": [{"a.parquet", "b.parquet"}],
    }.items(),
)
def test_each_stage_has_its_live_files(name: str, files: list[set[str]], tmp_path: Path) -> None:
    assert stages(name, tmp_path) == files


def test_a_file_that_is_written_anew_holds_other_rows(tmp_path: Path) -> None:
    root = written("parquet_rewrite", tmp_path)
    assert [pq.read_metadata(root / stage / "b.parquet").num_rows for stage in ("1", "2")] == [3, 4]


def test_columns_of_paths_are_shown_unless_xtable_makes_them_from_another(tmp_path: Path) -> None:
    columns = {}
    for name in ("parquet_in_paths", "parquet_by_year"):
        (tmp_path / name).mkdir()
        columns[name] = pq.read_schema(written(name, tmp_path / name) / "1.rows.parquet").names
    assert columns == {"parquet_in_paths": ["record_key", "i", "p"], "parquet_by_year": ["record_key", "at"]}


@pytest.mark.parametrize(
    ("name", "column", "known"),
    [
        ("parquet_no_statistics", "u", [False]),
        ("parquet_no_statistics", "i", [True]),
        ("parquet_long_strings", "s", [True, False]),
        ("parquet_code_points", "s", [True, True]),
    ],
)
def test_row_groups_have_the_statistics_that_the_table_is_about(
    name: str, column: str, known: list[bool], tmp_path: Path
) -> None:
    file = pq.ParquetFile(written(name, tmp_path) / "1" / "part0.parquet").metadata
    [place] = [at for at in range(file.num_columns) if file.schema.column(at).path == column]
    chunks = [file.row_group(number).column(place) for number in range(file.num_row_groups)]
    assert [bool(one.is_stats_set and one.statistics.has_min_max) for one in chunks] == known


def test_another_entry_has_another_key() -> None:
    assert len({one.key for one in TABLES}) == len(TABLES)


@pytest.mark.parametrize(
    ("name", "file", "changes"),
    [
        *(("parquet_append", file, True) for file in OF_FOLDERS),
        *(("paimon_plain", file, True) for file in OF_PAIMON),
        *(("iceberg_plain", file, True) for file in OF_ICEBERG),
        ("delta_plain", OF_FOLDERS[0], False),
    ],
)
def test_the_key_has_the_code_that_writes_the_table(
    name: str, file: str, changes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = SMALL_TABLES[name]
    before = one.key
    shutil.copytree(table.HERE, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(table, "HERE", tmp_path)
    assert one.key == before
    with (tmp_path / file).open("a") as code:
        code.write("# another line\n")
    assert (one.key != before) == changes


def test_a_step_of_another_format_is_refused(tmp_path: Path) -> None:
    wrong = replace(FOLDERS["parquet_append"], steps=BATTERY["delta_plain"].steps)
    with pytest.raises(AssertionError, match="is no step of a folder"):
        write(wrong, tmp_path)


def test_a_step_that_takes_a_file_away_leaves_the_others(tmp_path: Path) -> None:
    first, second = (step.action for step in FOLDERS["parquet_one_deleted"].steps)
    assert isinstance(first, Placed)
    assert isinstance(second, Placed)
    folder.place(first, tmp_path)
    folder.place(second, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]
