"""`xtable-audit check delta:TABLE --source iceberg:TABLE`: a Delta log against the Iceberg table it was made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tables.iceberg_by_pyiceberg import files, iceberg, rows, snapshots, translate
from tests.xtable_audit.cli.conftest import Command, Ran, command, findings, outcomes
from xtable_audit.model.outcome import Outcome

__all__ = ["command"]
OF_SOURCE = (
    *("no_file_is_missing", "no_file_is_stale", "no_column_is_left_over"),
    *("no_row_is_missing", "no_row_is_shown_twice", "no_row_is_stale", "values_are_those_of_the_source"),
)
Check = Callable[[], Ran]


def of_source(ran: Ran) -> set[str]:
    """The log has no statistics, which is advice, and nothing of the source's."""
    return {*OF_SOURCE} & findings(ran)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Any]:
    """Of two commits, a file of two rows each."""
    with iceberg(tmp_path / "t") as made:
        made.append(rows(0))
        made.append(rows(10))
        yield made


@pytest.fixture
def check(table: Any, tmp_path: Path, command: Command) -> Check:
    return lambda: command("check", f"delta:{tmp_path}/t", "--source", f"iceberg:{tmp_path}/t", "--json")


def test_a_right_translation_has_no_finding(table: Any, check: Check) -> None:
    translate(table, files(table), snapshots(table)[-1])
    ran = check()
    assert (ran.status, {outcomes(ran)[id] for id in OF_SOURCE}) == (0, {Outcome.HELD}), ran.out + ran.err


def test_a_file_that_is_not_translated_is_a_finding(table: Any, check: Check) -> None:
    translate(table, files(table)[1:], snapshots(table)[-1])
    ran = check()
    assert (ran.status, of_source(ran)) == (1, {"no_file_is_missing", "no_row_is_missing"})


def test_a_file_that_the_source_deleted_is_a_finding(table: Any, check: Check) -> None:
    live = files(table)
    table.delete("n >= 10")
    translate(table, live, snapshots(table)[-1])
    ran = check()
    assert (ran.status, of_source(ran)) == (1, {"no_file_is_stale", "no_row_is_stale"})


def test_a_table_behind_its_source_is_compared_with_the_snapshot_that_it_has(table: Any, check: Check) -> None:
    translate(table, files(table), snapshots(table)[-1])
    at = snapshots(table)[-1]
    table.append(rows(20))
    ran = check()
    assert (ran.status, of_source(ran)) == (0, set())
    assert any(f"it has snapshot {at}, and is compared with that" in note for note in ran.document.notes)


def test_a_value_of_a_dropped_column_is_a_finding(table: Any, check: Check) -> None:
    """A log finds columns by their names, and Iceberg by their ids. Without a key, a changed row is another row."""
    from pyiceberg.types import StringType

    with table.update_schema() as schema:
        schema.delete_column("s")
    with table.update_schema() as schema:
        schema.add_column("s", StringType())
    table.append(rows(20))
    translate(table, files(table), snapshots(table)[-1])
    ran = check()
    assert (ran.status, of_source(ran)) == (1, {"no_row_is_missing", "no_row_is_stale"})


def test_an_empty_log_beside_an_iceberg_table_is_compared_with_it(table: Any, tmp_path: Path, command: Command) -> None:
    translate(table, [], snapshots(table)[-1])
    ran = command("check", f"delta:{tmp_path}/t", "--json")
    assert (ran.status, of_source(ran)) == (1, {"no_file_is_missing", "no_row_is_missing"})
    assert any("compared with the Iceberg table in its folder" in note for note in ran.document.notes)


def test_a_table_that_was_rolled_back_since_is_one_sentence(table: Any, check: Check) -> None:
    synced = snapshots(table)[-1]
    translate(table, files(table), synced)
    table.manage_snapshots().rollback_to_snapshot(int(snapshots(table)[0])).commit()
    ran = check()
    assert "it was rolled back or replaced since, which no incremental sync undoes" in ran.out + ran.err
    assert outcomes(ran)["no_file_is_stale"] is not Outcome.HELD


def test_a_folder_that_is_no_iceberg_table_is_one_sentence(table: Any, tmp_path: Path, command: Command) -> None:
    translate(table, files(table), snapshots(table)[-1])
    (tmp_path / "t" / "metadata").rename(tmp_path / "elsewhere")
    ran = command("check", f"delta:{tmp_path}/t", "--source", f"iceberg:{tmp_path}/t")
    assert (ran.status, "Traceback" in ran.err) == (4, False), ran.err
    assert "is no Iceberg table" in " ".join(ran.err.split())
