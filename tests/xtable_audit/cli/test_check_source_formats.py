"""`xtable-audit check --source` beyond Iceberg over Hudi and Delta: a Delta table, or a folder of Parquet files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyiceberg.io.pyarrow import DataFileStatistics

from tests.tables.hand_written import FILES, folder_at, put, rows, time_of, translate
from tests.tables.lake import over_hudi
from tests.tables.recorded import names, newest
from tests.tables.translated import told
from tests.xtable_audit.cli.conftest import Command, Ran, command, findings, outcomes
from tools.pages.affected import recorded_sources
from xtable_audit.model.outcome import Outcome

__all__ = ["command"]
TABLE, PARTITIONED_BY = "history_upsert", "part"
OF_A_HUDI_TABLE = ("no_file_is_missing", "no_file_is_stale", "no_column_is_left_over")
OF_A_FOLDER = (
    *("no_file_is_missing", "no_file_is_stale", "no_column_is_left_over"),
    *("no_row_is_missing", "no_row_is_shown_twice", "no_row_is_stale", "values_are_those_of_the_source"),
)
Check = Callable[[], Ran]


def synced(folder: Path, *, without: int = 0) -> Path:
    """The recorded Hudi table with a Delta log over its newest files, but for some."""
    root = folder / TABLE
    shutil.copytree(recorded_sources() / TABLE, root)
    state = newest(TABLE)
    files = [root / one for one in sorted(names(state, TABLE))][without:]
    return over_hudi(root, files, json.dumps(told("hudi", state.newest)), PARTITIONED_BY)


def of_source(ran: Ran) -> dict[str, Outcome]:
    return {one.claim: one.outcome for one in ran.document.claims if one.claim in OF_A_HUDI_TABLE}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of three files."""
    return folder_at(tmp_path / "orders")


@pytest.fixture
def check(root: Path, command: Command) -> Check:
    return lambda: command("check", root, "--source", f"parquet:{root}", "--json")


# `xtable-audit check delta:LOCATION --source hudi:LOCATION`: a Delta table against the Hudi table it was made from.


@pytest.mark.parametrize(
    ("without", "outcome"), [(0, Outcome.HELD), (1, Outcome.FINDING)], ids=["all files", "a file left out"]
)
def test_live_files_are_compared_with_those_of_the_instant_that_was_synced(
    tmp_path: Path, command: Command, without: int, outcome: Outcome
) -> None:
    root = synced(tmp_path, without=without)
    ran = command("check", f"delta:{root}", "--source", f"hudi:{root}", "--yes", "--json")
    assert of_source(ran)["no_file_is_missing"] is outcome, ran.err
    own = ran.document.own_table
    assert own is not None
    assert own.source is not None
    assert (own.source.format, own.source.at, own.writer) == (
        "hudi",
        newest(TABLE).newest,
        "XTable 0.3.0 or later",
    )


def test_all_that_the_source_decides_holds_of_a_right_translation(tmp_path: Path, command: Command) -> None:
    root = synced(tmp_path)
    ran = command("check", f"delta:{root}", "--source", f"hudi:{root}", "--yes", "--json")
    assert (ran.status, {*of_source(ran).values()}) == (0, {Outcome.HELD}), ran.err


# `xtable-audit check --source parquet:FOLDER`: the table against the folder of Parquet files it was made from.


def test_a_right_translation_has_no_finding(root: Path, check: Check) -> None:
    translate(root)
    ran = check()
    assert (ran.status, {outcomes(ran)[id] for id in OF_A_FOLDER}) == (0, {Outcome.HELD}), ran.out


def test_a_hidden_file_is_none_of_the_sources(root: Path, check: Check) -> None:
    put(root / "_temporary" / "0" / "d.parquet", rows(15), 0)
    translate(root)
    assert check().status == 0


def test_a_hidden_file_that_is_translated_is_a_finding(root: Path, check: Check) -> None:
    put(root / "_temporary" / "0" / "d.parquet", rows(15), 0)
    translate(root, [*FILES, "_temporary/0/d.parquet"])
    ran = check()
    assert (ran.status, findings(ran)) == (1, {"no_file_is_stale", "no_row_is_stale"})


def test_a_record_count_of_nothing_is_a_finding(root: Path, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    told = DataFileStatistics.to_serialized_dict
    monkeypatch.setattr(DataFileStatistics, "to_serialized_dict", lambda one: told(one) | {"record_count": 0})
    translate(root)
    ran = check()
    assert (ran.status, outcomes(ran)["record_counts_are_exact"]) == (1, Outcome.FINDING)
    assert {outcomes(ran)[id] for id in OF_A_FOLDER} == {Outcome.HELD}


def test_a_deleted_file_that_stays_listed_is_a_finding(root: Path, check: Check) -> None:
    translate(root)
    (root / "b.parquet").unlink()
    ran = check()
    assert (ran.status, findings(ran) >= {"no_file_is_stale", "every_file_exists"}) == (1, True)


def test_a_file_that_never_arrived_is_a_finding(root: Path, check: Check) -> None:
    translate(root)
    put(root / "older.parquet", rows(15), 1)
    ran = check()
    assert (ran.status, findings(ran)) == (1, {"no_file_is_missing", "no_row_is_missing"})


def test_a_file_that_is_newer_than_the_sync_is_not_translated_yet(root: Path, check: Check) -> None:
    translate(root)
    put(root / "newer.parquet", rows(15), 3)
    ran = check()
    assert (ran.status, findings(ran)) == (0, set())
    assert any("The table lags behind its source by 1 commit" in note for note in ran.document.notes)


def test_a_file_that_is_rewritten_in_place_is_a_finding(root: Path, check: Check) -> None:
    translate(root)
    put(root / "b.parquet", rows(5, 3), 3)
    ran = check()
    assert (ran.status, "sizes_are_exact" in findings(ran), "no_file_is_stale" in findings(ran)) == (1, True, False)


def test_a_table_that_was_synced_from_another_format_is_refused(root: Path, command: Command) -> None:
    translate(root)
    ran = command("check", root, "--source", f"delta:{root}")
    assert (ran.status, "XTable made the table from Parquet" in ran.err) == (4, True)


@pytest.mark.parametrize("place", [time_of(9), time_of(2)])
def test_a_later_identifier_is_taken_as_it_is(root: Path, check: Check, place: int) -> None:
    translate(root, synced=place)
    assert check().status == 0
