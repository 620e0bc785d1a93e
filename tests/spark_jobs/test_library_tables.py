"""Tables that libraries write, Paimon's own and delta-rs: entries, and what is written of them."""

from __future__ import annotations

import atexit
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cache
from itertools import permutations
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lab.provision.dataset import columns_in
from lab.provision.plan import DELTA_RS, Plan
from lab.provision.sources.every_source import FORMATS, writer_here
from lab.provision.sources.paimon import write as write_paimon
from lab.stack.cache import Cache
from lab.stack.packages import installed
from lab.stack.project import ROOT
from lab.stack.versions import paimon_packages
from spark_jobs.battery.delta_rs import DELTA_RS_TABLES, TWO, by_delta_rs
from spark_jobs.battery.delta_rs_table import write
from spark_jobs.battery.paimon import PAIMON_TABLES, TABLES
from spark_jobs.battery.paimon_table import FILES, TOP_LEVEL
from spark_jobs.battery.parquet import FOLDERS
from spark_jobs.battery.table import OF_DELTA_RS, BatteryTable, Service, Step, Write, sql
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from tests.forks import Ask, forks_of
from tests.kept import kept
from tests.of_each import of_each
from tests.packages import skip_unless_served
from xtable.replay import SOURCES, checked, unpacked
from xtable_audit.formats.delta.log import read_log
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.named_source import read_rows, read_state
from xtable_audit.formats.paimon.snapshots import schema, snapshots
from xtable_audit.model.problem import Problem
from xtable_audit.table.synced import Synced

# Paimon tables.


BY = ("spark_jobs.battery.paimon_table", "tests.spark_jobs.paimon_forks")
"""The modules that processes of their own run."""
COMPACTED = {one.name for one in TABLES if any(step.action == Service("compact") for step in one.steps)}


def write_named(folder: Path, name: str) -> None:
    folder.mkdir()
    if name in COMPACTED:
        write_paimon(PAIMON_TABLES[name], folder)
    else:
        assert warm()(name=name, folder=str(folder)) == 0


@cache
def warm() -> Ask:
    """Writes a table in a fork of one process: each that is started anew imports the library."""
    running = ExitStack()
    atexit.register(running.close)
    path = os.pathsep.join((str(ROOT), str(installed("pypaimon", paimon_packages(), Cache()))))
    return running.enter_context(forks_of("tests.spark_jobs.paimon_forks", PYTHONPATH=path))


@pytest.fixture(scope="module")
def library() -> None:
    """Skips the tests where pip does not serve Paimon's library."""
    skip_unless_served("pypaimon", paimon_packages())


@pytest.fixture(params=TABLES, ids=lambda one: str(one.name))
def written(request: pytest.FixtureRequest, library: None) -> tuple[BatteryTable, Path]:
    """Each table, and the folder of its stages."""
    return request.param, kept(write_named, *BY, name=request.param.name)[0]


def stages(written: tuple[BatteryTable, Path]) -> Iterator[tuple[Path, pa.Table]]:
    """The folder of each stage, and the rows that Paimon shows of it."""
    for number, _ in enumerate(written[0].stages, start=1):
        yield written[1] / str(number), pq.read_table(written[1] / f"{number}.rows.parquet")


def newest(tree: Path) -> Synced:
    milliseconds = snapshots(TableFolder.at(str(tree)))[-1].milliseconds
    return Synced(datetime.fromtimestamp(milliseconds / 1000, UTC))


def plain(rows: pa.Table) -> list[str]:
    return sorted(map(str, rows.select(sorted(rows.column_names)).to_pylist()))


def test_no_name_is_part_of_another() -> None:
    every = [*PAIMON_TABLES, *FOLDERS, *BATTERY, *RECIPES]
    assert not [pair for pair in permutations(every, 2) if pair[0] in pair[1]]


def test_no_table_is_lost_by_a_name_used_twice() -> None:
    assert (len(PAIMON_TABLES), {name[:7] for name in PAIMON_TABLES}) == (len(TABLES), {"paimon_"})


def test_the_last_rows_that_were_written_are_shown(written: tuple[BatteryTable, Path]) -> None:
    """Of every file of the last write, so that the library is held to what it was given."""
    *_, last = (step.action for step in written[0].steps if isinstance(step.action, Write))
    *_, (_, shown) = stages(written)
    given = pa.concat_tables(
        pa.table({one.name: pa.array(file.columns[one.name], one.type) for one in last.schema}) for file in last.files
    )
    assert {*plain(given)} <= {*plain(shown)}


def test_the_judge_lists_the_files_that_paimon_reads(written: tuple[BatteryTable, Path]) -> None:
    for tree, _ in stages(written):
        folder = TableFolder.at(str(tree))
        state = read_state("paimon", folder, newest(tree), ())
        assert {folder.name(uri) for uri in state.files} == {*FORMATS["PAIMON"].live_files(tree)}
        assert state.partition_by == written[0].partition_by


def test_the_judge_reads_the_rows_that_paimon_shows(written: tuple[BatteryTable, Path]) -> None:
    for tree, shown in stages(written):
        folder = TableFolder.at(str(tree))
        state = read_state("paimon", folder, newest(tree), ())
        assert state.columns == columns_in(tree.with_name(f"{tree.name}.rows.parquet"))
        if not state.beside:
            assert plain(read_rows(folder, state)) == plain(shown)


def test_a_table_with_a_key_is_merged_by_its_readers_until_it_is_compacted(library: None) -> None:
    folder, _ = kept(write_named, *BY, name="paimon_key")
    tree = TableFolder.at(str(folder / "2"))
    assert [FORMATS["PAIMON"].live_files(folder / "1"), FORMATS["PAIMON"].live_files(folder / "2")] == [[], []]
    assert sum(one.updates for one in read_state("paimon", tree, newest(folder / "2"), ()).beside.values()) == 3
    assert schema(tree, 0).top_level == TOP_LEVEL
    stages = json.loads((folder / "paimon.json").read_text(encoding="utf-8"))["stages"]
    assert [(one["rows"], one["snapshot_rows"]) for one in stages] == [(0, 2), (0, 2)]


def test_paimons_java_library_compacts_what_its_other_library_wrote(library: None) -> None:
    """Rows are merged into one file of the last level, and what comes later is beside it."""
    folder, _ = kept(write_named, *BY, name="paimon_compacted_again")
    first, second = (FORMATS["PAIMON"].live_files(folder / number) for number in "12")
    rows = [
        pq.read_metadata(folder / number / name).num_rows for number, (name,) in zip("12", (first, second), strict=True)
    ]
    assert (rows, first != second) == ([2, 3], True)
    updated, _ = kept(write_named, *BY, name="paimon_updated_since")
    assert FORMATS["PAIMON"].live_files(updated / "1") == FORMATS["PAIMON"].live_files(updated / "2")


def test_what_cannot_be_written_is_one_sentence(library: None, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="paimon_sql cannot be written by pypaimon: AssertionError: paimon_sql: a drop"):
        write_paimon(BatteryTable("paimon_sql", "", (sql("DROP TABLE {table}", "a drop"),), format="PAIMON"), tmp_path)
    assert not [*tmp_path.glob(f"*.{FILES}")]


# Delta tables that delta-rs writes: each is as its entry says, and no commit says whether it appends blindly.

SHOWN = {
    "delta_rs_append": [1, 2, 3, 4, 5, 6, 7, 8, 9],
    "delta_rs_delete": [1, 3, 4, 5, 6],
    "delta_rs_update": [1, 2, 3, 4, 6, 50],
    "delta_rs_compacted": [1, 2, 3, 4, 5, 6],
    "delta_rs_overwrite": [70],
    "delta_rs_restored": [1, 2, 3],
    "delta_rs_returned": [1, 2],
    "delta_rs_with_checkpoint": [1, 2, 3, 4, 5, 6, 7],
}
"""The column `i` at the end."""


@of_each("name", SHOWN)
def test_a_history_ends_with_these_rows(name: str, tmp_path: Path) -> None:
    (folder := tmp_path / name).mkdir()
    last = len(write(DELTA_RS_TABLES[name], folder)["stages"])
    assert sorted(pq.read_table(folder / f"{last}.rows.parquet")["i"].to_pylist()) == SHOWN[name]
    files = FORMATS["DELTA"].live_files(folder / str(last))
    assert sum(pq.read_metadata(folder / str(last) / one).num_rows for one in files) == len(SHOWN[name])


def test_a_file_that_was_replaced_returns(tmp_path: Path) -> None:
    (folder := tmp_path / "returned").mkdir()
    write(DELTA_RS_TABLES["delta_rs_returned"], folder)
    first, replaced, returned = ({*FORMATS["DELTA"].live_files(folder / str(stage))} for stage in (1, 2, 3))
    assert first == returned
    assert not first & replaced


@of_each("name", DELTA_RS_TABLES)
def test_they_are_recorded_as_their_entries_have_them(name: str) -> None:
    recorded = unpacked(Plan(source_format=DELTA_RS).archives, Cache()) / SOURCES
    assert checked(recorded)["keys"][name] == DELTA_RS_TABLES[name].key
    log = read_log(TableFolder.at(str(recorded / name)))
    assert "delta-rs" in json.dumps(log.commit_info)
    assert "isBlindAppend" not in (log.commit_info or {})


def test_what_writes_a_table_is_known_by_its_entry() -> None:
    assert writer_here(DELTA_RS_TABLES["delta_rs_append"]) is write
    assert writer_here(BATTERY["delta_plain"]) is None


def test_the_code_that_writes_them_is_in_their_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    table = DELTA_RS_TABLES["delta_rs_append"]
    before = table.key
    monkeypatch.setattr("spark_jobs.battery.table.OF_DELTA_RS", (*OF_DELTA_RS, "folder.py"))
    assert table.key != before


def test_a_service_of_hudi_is_no_step_of_it(tmp_path: Path) -> None:
    table = by_delta_rs("cleaned", "Cleaned.", TWO, Step("clean", Service("clean")))
    with pytest.raises(AssertionError, match="delta_rs_cleaned: clean is no step of delta-rs"):
        write(table, tmp_path)
