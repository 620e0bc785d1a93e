"""`xtable-audit check --source parquet:FOLDER`: the table against the folder of Parquet files it was made from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyiceberg.io.pyarrow import DataFileStatistics

from tests.cli.conftest import Command, Ran
from tests.formats.folder_of_parquet import FILES, folder_at, put, rows, time_of, translate
from xtable_audit.model.outcome import Outcome

OF_SOURCE = (
    *("no_file_is_missing", "no_file_is_stale", "no_column_is_left_over"),
    *("no_row_is_missing", "no_row_is_shown_twice", "no_row_is_stale", "values_are_those_of_the_source"),
)
Check = Callable[[], Ran]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of three files."""
    return folder_at(tmp_path / "orders")


@pytest.fixture
def check(root: Path, command: Command) -> Check:
    return lambda: command("check", root, "--source", f"parquet:{root}", "--json")


def outcomes(ran: Ran) -> dict[str, Outcome]:
    return {result.claim: result.outcome for result in ran.document.claims}


def findings(ran: Ran) -> set[str]:
    return {claim for claim, outcome in outcomes(ran).items() if outcome is Outcome.FINDING}


def test_a_right_translation_has_no_finding(root: Path, check: Check) -> None:
    translate(root)
    ran = check()
    assert (ran.status, {outcomes(ran)[id] for id in OF_SOURCE}) == (0, {Outcome.HELD}), ran.out


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
    assert {outcomes(ran)[id] for id in OF_SOURCE} == {Outcome.HELD}


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
