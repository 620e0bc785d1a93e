"""`check --scanner spark`, with a stand-in for the cluster: tests/scan has Spark itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from tests.cli.conftest import Command
from tests.cli.tables import Lake, data_files


@dataclass
class Here:
    """A session whose one executor is this process; `packs` counts what it was given."""

    packs: int = 0

    @property
    def sparkContext(self) -> Here:  # PySpark's name
        return self

    def parallelize(self, rows: list[tuple[int, bytes]], slices: int) -> Here:
        self._rows, self.packs = rows, self.packs + slices
        return self

    def toDF(self, schema: str) -> Here:  # PySpark's name
        self._names = [part.split()[0] for part in schema.split(",")]
        return self

    def mapInArrow(self, task: Callable[[Iterable[Any]], Iterator[Any]], schema: str) -> Here:
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
    monkeypatch.setattr("xtable_audit.spark.packs.PACK_FILES", 2)
    return session


def test_it_finds_what_this_machine_finds(lake: Lake, command: Command, here: Here) -> None:
    table = lake.evolved()
    asked = ("check", lake.root("evolved"), "--no-cache", "--json", "--where", "id = 6")
    local, remote = command(*asked).document, command(*asked, "--scanner", "spark").document
    assert [(one.claim, one.outcome) for one in remote.claims] == [(one.claim, one.outcome) for one in local.claims]
    assert remote.own_table
    assert local.own_table
    assert remote.own_table.predicates == local.own_table.predicates
    assert here.packs > len(data_files(table)) // 2


def test_what_a_cluster_measured_is_kept(lake: Lake, command: Command, here: Here) -> None:
    lake.evolved()
    command("check", lake.root("evolved"), "--scanner", "spark")
    first = here.packs
    command("check", lake.root("evolved"), "--scanner", "spark")
    assert (first > 0, here.packs) == (True, first)


def test_a_cluster_without_the_scanner_is_refused(command: Command) -> None:
    ran = command("check", "x", "--master", "yarn")
    assert (ran.status, "--master goes with --scanner spark" in ran.err) == (4, True)


def test_without_pyspark_it_says_what_to_install(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    ran = command("check", "x", "--scanner", "spark")
    assert (ran.status, ran.err) == (4, "--scanner spark needs PySpark: install xtable-audit[spark]\n")
