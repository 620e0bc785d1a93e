"""`check --scanner spark`, with a stand-in for the cluster: tests/spark has Spark itself."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa
import pytest

from tests.cli.conftest import Command, Ran
from tests.cli.tables import Lake, data_files
from xtable_audit.spark.packs import Packing
from xtable_audit.spark.scanner import SparkScanner, Task


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
    monkeypatch.setattr("xtable_audit.spark.session.session", lambda master: session)
    small = partial(SparkScanner, packing=Packing(files=2))
    monkeypatch.setattr("xtable_audit.spark.scanner.SparkScanner", small)
    return session


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
