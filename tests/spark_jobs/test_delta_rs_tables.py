"""Delta tables that delta-rs writes: each is as its entry says, and no commit says whether it appends blindly."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lab.provision.plan import DELTA_RS, Plan
from lab.provision.sources.known import FORMATS, writer_here
from lab.stack.cache import Cache
from spark_jobs.battery.delta_rs import DELTA_RS_TABLES, TWO, by_delta_rs
from spark_jobs.battery.delta_rs_table import write
from spark_jobs.battery.table import OF_DELTA_RS, Service, Step
from spark_jobs.battery.tables import BATTERY
from tests.of_each import of_each
from xtable.replay import SOURCES, checked, unpacked
from xtable_audit.formats.delta.log import read_log
from xtable_audit.formats.folder import TableFolder

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
