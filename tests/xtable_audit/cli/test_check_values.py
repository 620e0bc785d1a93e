"""Which values `check` reads, and where: of new files with `--since`, by processes, by Spark with `--scanner spark`."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.table import Table

from tests.tables.lake import Lake, data_files, orders
from tests.xtable_audit.cli.conftest import Command, Ran
from xtable_audit import processes
from xtable_audit.packs import Packing
from xtable_audit.spark.scanner import SparkScanner, Task


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


@dataclass
class Here:
    """A session whose one executor is this process; `packs` counts what it was given, by what is done with it."""

    packs: Counter[str] = field(default_factory=Counter)
    defaultParallelism = 1  # PySpark's name

    @property
    def sparkContext(self) -> Here:  # PySpark's name
        return self

    def parallelize(self, rows: list[tuple[int, bytes]], slices: int) -> Here:
        self._rows, self._slices = rows, slices
        return self

    def toDF(self, schema: str) -> Here:  # PySpark's name
        self._names = [part.split()[0] for part in schema.split(",")]
        return self

    def mapInArrow(self, task: Task, schema: str) -> Here:
        self.packs[getattr(task.work, "func", task.work).__name__] += self._slices
        columns = zip(*self._rows, strict=True)
        batch = pa.record_batch(dict(zip(self._names, map(list, columns), strict=True)))
        self._done = [row for part in task([batch]) for row in part.to_pylist()]
        return self

    def collect(self) -> list[dict[str, Any]]:
        return self._done


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Here:
    session = Here()
    monkeypatch.setattr("xtable_audit.spark.scanner.session", lambda master: session)
    small = partial(SparkScanner, packing=Packing(files=2))
    monkeypatch.setattr("xtable_audit.spark.scanner.SparkScanner", small)
    return session


# `check --since SNAPSHOT`: the values of new files alone.


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


# a check of many files, by processes of this machine


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One file is many, on two cores; each pool that is started notes its processes."""
    found: list[int] = []

    class Noted(processes._Pool):
        def __init__(self, task: processes._Task, number: int) -> None:
            super().__init__(task, number)
            found.append(number)

    for name, value in (("MANY", 1), ("TOGETHER", 1), ("ROUNDS", 1), ("_Pool", Noted)):
        monkeypatch.setattr(processes, name, value)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    return found


def test_processes_find_what_threads_find(lake: Lake, table: Table, command: Command, started: list[int]) -> None:
    falsify(table, 2)
    asked = ("check", lake.root("orders"), "--no-cache", "--json", "--where", "id = 6")
    by_threads, by_processes = (command(*asked, "--threads", threads).document for threads in (1, 4))
    assert [one.outcome for one in by_processes.claims] == [one.outcome for one in by_threads.claims]
    assert by_processes.own_table
    assert by_threads.own_table
    assert by_processes.own_table.predicates == by_threads.own_table.predicates
    assert started == [2, 2, 2], "values, the accused file again, the predicate"


# `check --scanner spark`, with a stand-in for the cluster: tests/xtable_audit/spark has Spark itself.


def test_it_finds_what_this_machine_finds(lake: Lake, command: Command, here: Here) -> None:
    table = lake.evolved()
    asked = ("check", lake.root("evolved"), "--no-cache", "--json", "--where", "id = 6")
    local, remote = command(*asked).document, command(*asked, "--scanner", "spark").document
    assert [(one.claim, one.outcome) for one in remote.claims] == [(one.claim, one.outcome) for one in local.claims]
    assert remote.own_table
    assert local.own_table
    assert remote.own_table.predicates == local.own_table.predicates
    assert here.packs["_measure"] >= len(data_files(table)) // 2


def saw(ran: Ran) -> list[str]:
    return [one.finding.saw for one in ran.document.claims if one.finding is not None]


def test_what_a_cluster_measured_is_kept_and_only_looked_up_again(lake: Lake, command: Command, here: Here) -> None:
    lake.evolved()
    command("check", lake.root("evolved"), "--scanner", "spark")
    first = Counter(here.packs)
    command("check", lake.root("evolved"), "--scanner", "spark")
    assert first["_look_up"] == first["_measure"] > 0
    assert here.packs - first == {"_look_up": first["_look_up"]}


def test_a_file_that_is_gone_is_told_as_on_this_machine(lake: Lake, command: Command, here: Here) -> None:
    data_files(lake.evolved())[0].unlink()
    asked = ("check", lake.root("evolved"), "--json", "--claim", "every_file_exists")
    local, remote = (saw(command(*asked, *more)) for more in ((), ("--scanner", "spark")))
    assert local == remote != []


def test_a_cluster_without_the_scanner_is_refused(command: Command) -> None:
    ran = command("check", "x", "--master", "yarn")
    assert (ran.status, "--master goes with --scanner spark" in ran.err) == (4, True)


def test_without_pyspark_it_says_what_to_install(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    ran = command("check", "x", "--scanner", "spark")
    assert (ran.status, ran.err) == (4, "--scanner spark needs PySpark: install xtable-audit[spark]\n")
