"""`check --since SNAPSHOT`: the values of new files alone."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.table import Table

from tests.cli.conftest import Command, Ran
from tests.cli.tables import Lake, data_files, orders


@pytest.fixture
def table(lake: Lake) -> Table:
    """Three appends, of a file each."""
    return lake.table("orders", *(orders(number) for number in range(3)))


def falsify(table: Table, snapshot: int) -> None:
    """Exchanges the values of the file that this snapshot added for others."""
    [task] = [task for task in table.scan(snapshot_id=table.snapshots()[snapshot].snapshot_id).plan_files()
              if str(task.file.file_path) not in _files(table, snapshot - 1)]  # fmt: skip
    path = task.file.file_path.removeprefix("file://")
    rows = pq.read_table(path)
    pq.write_table(rows.set_column(0, rows.schema.field("id"), pa.array([-5] * len(rows), pa.int64())), path)


def _files(table: Table, snapshot: int) -> set[str]:
    scan = table.scan(snapshot_id=table.snapshots()[snapshot].snapshot_id) if snapshot >= 0 else None
    return {str(task.file.file_path) for task in scan.plan_files()} if scan else set()


def since(command: Command, lake: Lake, table: Table, snapshot: int) -> Ran:
    return command("check", lake.root("orders"), "--since", table.snapshots()[snapshot].snapshot_id, "--json")


@pytest.mark.parametrize(("snapshot", "read"), [(0, 2), (1, 1), (2, 0)], ids=["the first", "the second", "the newest"])
def test_it_reads_the_files_that_came_later(
    lake: Lake, table: Table, command: Command, snapshot: int, read: int
) -> None:
    own = since(command, lake, table, snapshot).document.own_table
    assert own
    assert (own.read, own.files) == (read, 3)


def test_a_lie_in_a_new_file_is_found(lake: Lake, table: Table, command: Command) -> None:
    falsify(table, 2)
    assert since(command, lake, table, 1).status == 1


def test_a_lie_in_an_old_file_is_not_looked_for_and_the_report_says_so(
    lake: Lake, table: Table, command: Command
) -> None:
    falsify(table, 0)
    ran = since(command, lake, table, 1)
    assert ran.status == 0
    assert any(note.endswith("did not have. They say nothing about the others.") for note in ran.document.notes)


def test_files_of_rewritten_manifests_are_not_new(lake: Lake, command: Command) -> None:
    """Each append merges all manifests into one."""
    merged = {"commit.manifest-merge.enabled": "true", "commit.manifest.min-count-to-merge": "2"}
    table = lake.table("orders", *(orders(number) for number in range(3)), **merged)
    assert len(data_files(table)) == 3
    own = since(command, lake, table, 1).document.own_table
    assert own
    assert own.read == 1


def test_an_unknown_snapshot_is_one_sentence(lake: Lake, table: Table, command: Command) -> None:
    ran = command("check", lake.root("orders"), "--since", 7)
    assert (ran.status, "the table has no snapshot 7; its newest are" in ran.err) == (4, True)


@pytest.mark.parametrize("other", [("--sample", "3"), ("--max-bytes", "1MB")], ids=" ".join)
def test_it_goes_with_no_sample(command: Command, other: tuple[str, str]) -> None:
    ran = command("check", "x", "--since", 7, *other)
    assert (ran.status, "it goes with neither --sample nor --max-bytes" in ran.err) == (4, True)
