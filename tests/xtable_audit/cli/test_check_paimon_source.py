"""`xtable-audit check` of what XTable made of a Paimon table, which the user names or which lies in its folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tables.paimon_by_hand import A, B, C, Change, Paimon, appended, rows
from tests.xtable_audit.cli.conftest import Command, Ran, findings, outcomes
from xtable_audit.model.outcome import Outcome

OF_SOURCE = (
    *("no_file_is_missing", "no_file_is_stale", "no_column_is_left_over"),
    *("no_row_is_missing", "no_row_is_shown_twice", "no_row_is_stale", "values_are_those_of_the_source"),
)
BESIDE = "The table has no file, so it is compared with the Paimon table in its folder"
Check = Callable[[Paimon], Ran]


@pytest.fixture
def check(command: Command) -> Check:
    """With the source that the user names."""
    return lambda table: command("check", table.root, "--source", f"paimon:{table.root}", "--json")


@pytest.fixture
def alone(command: Command) -> Check:
    """Without a source that is named."""
    return lambda table: command("check", table.root, "--json")


def with_key(root: Path) -> Paimon:
    """Two rows that no compaction has put into a file of their own."""
    table = Paimon(root, primary_keys=("n",))
    table.commit(Change(A, rows(0, 2)))
    return table


def test_a_right_translation_has_no_finding(tmp_path: Path, check: Check) -> None:
    table = appended(tmp_path)
    table.translate([A, B, C])
    ran = check(table)
    assert (ran.status, {outcomes(ran)[id] for id in OF_SOURCE}) == (0, {Outcome.HELD}), ran.out


def test_a_compacted_table_with_a_key_has_no_finding(tmp_path: Path, check: Check) -> None:
    table = Paimon(tmp_path, primary_keys=("n",))
    table.commit(Change(A, rows(0)), Change(B, rows(2)))
    table.commit(Change(A), Change(B), Change(C, rows(0, 7), level=5))
    table.translate([C])
    ran = check(table)
    assert (ran.status, {outcomes(ran)[id] for id in OF_SOURCE}) == (0, {Outcome.HELD}), ran.out


def test_a_file_that_is_not_translated_is_a_finding(tmp_path: Path, check: Check) -> None:
    table = appended(tmp_path)
    table.translate([A, B])
    ran = check(table)
    assert (ran.status, findings(ran)) == (1, {"no_file_is_missing", "no_row_is_missing"})


def test_a_file_that_the_source_deleted_is_a_finding(tmp_path: Path, check: Check) -> None:
    table = appended(tmp_path)
    table.commit(Change(A))
    table.translate([A, B, C])
    ran = check(table)
    assert (ran.status, findings(ran)) == (1, {"no_file_is_stale", "no_row_is_stale"})


def test_a_table_behind_its_source_is_compared_with_the_snapshot_that_it_has(tmp_path: Path, check: Check) -> None:
    table = appended(tmp_path)
    table.translate([A, B, C])
    table.commit(Change("bucket-0/data-d-0.parquet", rows(20)))
    ran = check(table)
    assert (ran.status, findings(ran)) == (0, set())
    assert any("it has snapshot 2, and is compared with that; the newest is 3" in note for note in ran.document.notes)


def test_updates_that_are_not_compacted_are_a_finding(tmp_path: Path, check: Check) -> None:
    table = Paimon(tmp_path, primary_keys=("n",))
    table.commit(Change(A, rows(0), level=5), Change(B, rows(3)))
    table.translate([A])
    ran = check(table)
    assert (ran.status, findings(ran)) == (1, {"no_row_is_stale"})


@pytest.mark.parametrize("named", [True, False], ids=["a source that is named", "the source in its folder"])
def test_no_file_of_a_source_with_rows_is_a_finding(named: bool, tmp_path: Path, check: Check, alone: Check) -> None:
    table = with_key(tmp_path)
    table.translate([])
    ran = (check if named else alone)(table)
    assert (ran.status, findings(ran)) == (1, {"no_row_is_stale"}), ran.out
    assert any(note.startswith(BESIDE) for note in ran.document.notes) != named


def test_no_file_of_an_append_table_is_a_finding(tmp_path: Path, alone: Check) -> None:
    table = appended(tmp_path)
    table.translate([])
    ran = alone(table)
    assert (ran.status, findings(ran)) == (1, {"no_file_is_missing", "no_row_is_missing"}), ran.out


def test_no_file_of_a_source_without_rows_is_right(tmp_path: Path, alone: Check) -> None:
    table = with_key(tmp_path)
    table.commit(Change(A))
    table.translate([])
    ran = alone(table)
    assert (ran.status, findings(ran)) == (0, set()), ran.out
    assert not any(note.startswith(BESIDE) for note in ran.document.notes)


def test_an_export_of_no_file_beside_rows_is_inconclusive(tmp_path: Path, alone: Check) -> None:
    """Paimon's own exporter notes no snapshot, and exports what is compacted: no finding, and not nothing found."""
    table = with_key(tmp_path)
    table.export([])
    ran = alone(table)
    assert (ran.status, findings(ran)) == (6, set()), ran.out
    assert {outcomes(ran)[id] for id in OF_SOURCE} == {Outcome.INCONCLUSIVE}


@pytest.mark.parametrize("rows_are_there", [True, False], ids=["of a file", "of a source without rows"])
def test_any_other_export_is_judged_without_its_source(rows_are_there: bool, tmp_path: Path, alone: Check) -> None:
    table = with_key(tmp_path)
    if not rows_are_there:
        table.commit(Change(A))
    table.export([A] if rows_are_there else [])
    ran = alone(table)
    assert (ran.status, findings(ran)) == (0, set()), ran.out
    assert not {Outcome.HELD, Outcome.INCONCLUSIVE} & {outcomes(ran).get(id) for id in OF_SOURCE}


def test_a_table_of_no_file_whose_source_is_elsewhere_is_left_alone(tmp_path: Path, alone: Check) -> None:
    table = Paimon(tmp_path)
    table.translate([])
    ran = alone(table)
    assert (ran.status, any(note.startswith(BESIDE) for note in ran.document.notes)) == (0, False), ran.out


def test_a_table_of_no_file_that_was_synced_to_an_expired_snapshot_is_left_alone(tmp_path: Path, alone: Check) -> None:
    table = with_key(tmp_path)
    table.translate([], lastInstantSynced="2024-01-01T00:00:00+00:00")
    ran = alone(table)
    assert (ran.status, any(note.startswith(BESIDE) for note in ran.document.notes)) == (0, False), ran.out


def test_an_expired_snapshot_leaves_the_claims_about_a_named_source_open(tmp_path: Path, check: Check) -> None:
    table = appended(tmp_path)
    table.translate([A, B, C], lastInstantSynced="2024-01-01T00:00:00+00:00")
    ran = check(table)
    assert (ran.status, outcomes(ran)["no_file_is_missing"]) == (6, Outcome.INCONCLUSIVE), ran.out


@pytest.mark.parametrize(
    ("format", "ends"),
    [("PAIMON", "`--source` checks it, and `xtable-audit affected` names what may be wrong."), ("LANCE", "checks it.")],
    ids=["a format of affected", "another one"],
)
def test_no_command_that_refuses_the_source_is_advised(format: str, ends: str, tmp_path: Path, alone: Check) -> None:
    table = appended(tmp_path)
    table.translate([A, B, C], sourceTableFormat=format)
    notes = alone(table).document.notes
    (note,) = (one for one in notes if one.startswith(f"The {format.capitalize()} source is not read"))
    assert note.endswith(ends)
