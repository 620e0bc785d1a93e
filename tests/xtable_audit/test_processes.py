"""Processes of this machine measure many files as its threads do, and end with what asked them, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from multiprocessing import active_children
from pathlib import Path
from typing import NoReturn

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from lab.stack.project import ROOT
from tests.wait_until import wait_until
from xtable_audit import processes
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Compare
from xtable_audit.model.problem import Unreachable
from xtable_audit.model.scan_input import DataFiles, EqualityDeletes, Wanted, WantedColumn
from xtable_audit.packs import OwnReach
from xtable_audit.processes import LEAST, MANY, MOST, ProcessScanner, processes_for
from xtable_audit.scan import LocalScanner
from xtable_audit.values.measured_rows import merge
from xtable_audit.values.open_parquet import NO_MEMORY

COLUMN = WantedColumn(1, "n", pa.int64())
WANTED = Wanted((COLUMN,))
FILES = 12


@dataclass(frozen=True)
class Disk:
    def objects(self) -> Objects:
        return Objects(fs.LocalFileSystem())


class Deadly(Objects):
    def open(self, uri: str) -> pa.NativeFile:
        if uri.endswith("/7.parquet"):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().open(uri)


@dataclass(frozen=True)
class OfDeadly:
    """Reads a file that ends the process."""

    def objects(self) -> Objects:
        return Deadly(fs.LocalFileSystem())


@dataclass(frozen=True)
class OfNobody:
    """Finds no credential in another process."""

    def objects(self) -> Objects:
        raise Unreachable("the store wants a credential")


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dozen files are many, and a pack has two."""
    for name, value in (("MANY", FILES), ("TOGETHER", 2), ("ROUNDS", 1)):
        monkeypatch.setattr(processes, name, value)


@pytest.fixture
def files(tmp_path: Path) -> DataFiles:
    paths = [tmp_path / f"{number}.parquet" for number in range(FILES)]
    for number, path in enumerate(paths):
        pq.write_table(pa.table({"n": [number, number + 100, None]}), path)
    return DataFiles.at(map(str, paths))


def scanner(reach: OwnReach | None = None) -> ProcessScanner:
    return ProcessScanner(reach or Disk(), {}, LocalScanner(Disk().objects(), 2), 2)


def measured(by: ProcessScanner, files: DataFiles) -> pa.Table:
    parts = []
    for some in by.batches(files):  # which no frame holds on to, as one of a comprehension would after an error
        parts.append(by.measure(some, WANTED))
    return merge(parts)


def test_many_files_are_measured_as_by_threads(files: DataFiles) -> None:
    assert measured(scanner(), files).equals(LocalScanner(Disk().objects()).measure(files, WANTED))


def test_many_files_are_measured_by_other_processes(files: DataFiles) -> None:
    with pytest.raises(Unreachable, match="wants a credential"):
        measured(scanner(OfNobody()), files)


def test_rows_deleted_by_equality_are_left_out_in_each_process(files: DataFiles) -> None:
    keys = pa.table({"n": [100, 7]})
    deletes = EqualityDeletes((COLUMN,), keys, np.array([5, 5]))
    all = pa.array([[0]] * FILES, pa.list_(pa.int64()))
    table = files.table.append_column("equality", all).append_column("sequence", pa.array([1] * FILES))
    deleted = DataFiles(table, (deletes,))
    one = Compare("n", ">=", 0)
    counted = scanner().count(deleted, [COLUMN], [one])
    assert counted.equals(LocalScanner(Disk().objects()).count(deleted, [COLUMN], [one]))
    assert counted != LocalScanner(Disk().objects()).count(files, [COLUMN], [one])


def test_few_files_are_measured_here(files: DataFiles) -> None:
    few = files.slice(0, FILES - 1)
    assert measured(scanner(OfNobody()), few).num_rows
    assert scanner(OfNobody()).count(few, [COLUMN], []).num_rows == FILES - 1


def test_threads_measure_where_no_process_starts(files: DataFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: object) -> NoReturn:
        raise OSError("AF_UNIX path too long")

    monkeypatch.setattr(processes._Pool, "__enter__", none)
    assert measured(scanner(OfNobody()), files).equals(LocalScanner(Disk().objects()).measure(files, WANTED))


def test_the_processes_end_with_the_last_batch(files: DataFiles) -> None:
    measured(scanner(), files)
    assert not active_children()


def test_the_processes_end_with_an_interrupt(files: DataFiles) -> None:
    batches = scanner().batches(files)
    next(batches)
    assert active_children()
    with pytest.raises(KeyboardInterrupt):
        batches.throw(KeyboardInterrupt)
    assert not active_children()


def test_a_file_that_ends_a_process_ends_the_check_with_what_to_do(files: DataFiles) -> None:
    with pytest.raises(Unreachable, match="a process that read data files died"):
        measured(scanner(OfDeadly()), files)


def test_the_processes_end_with_one_that_is_killed(files: DataFiles, tmp_path: Path) -> None:
    asks = (
        "from tests.xtable_audit.test_processes import *\n"
        "processes.MANY = 1\n"
        "if __name__ == '__main__':\n"
        f"    by, files = scanner(), DataFiles.at({files.paths!r})\n"
        "    for some in by.batches(files):\n"
        "        by.measure(some, WANTED)\n"
        "        print(*(one.pid for one in active_children()), flush=True)\n"
        "        sys.stdin.read()\n"
    )
    (tmp_path / "asks.py").write_text(asks)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(tmp_path / "asks.py")]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None
        started = [int(pid) for pid in job.stdout.readline().split()]
        assert started
        job.kill()
        wait_until(lambda: not any(map(psutil.pid_exists, started)), "they have ended", 20)


@pytest.fixture
def sixteen_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MANY", MANY)
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    monkeypatch.setattr(processes, "left", lambda: 100 * LEAST)


@pytest.mark.usefixtures("sixteen_cores")
@pytest.mark.parametrize(
    ("files", "at_once", "expected"),
    [(MANY, 16, MOST), (MANY, 64, MOST), (MANY, 3, 3), (MANY, 1, 1), (MANY - 1, 64, 1)],
)
def test_so_many_processes_read(files: int, at_once: int, expected: int) -> None:
    assert processes_for(files, at_once) == expected


@pytest.mark.usefixtures("sixteen_cores")
@pytest.mark.parametrize(("memory", "expected"), [(4 * LEAST, 3), (2 * LEAST, 1), (0, 1), (None, MOST)])
def test_so_many_have_the_memory_that_each_takes(
    monkeypatch: pytest.MonkeyPatch, memory: int | None, expected: int
) -> None:
    monkeypatch.setattr(processes, "left", lambda: memory)
    assert processes_for(MANY, 16) == expected


def test_each_process_takes_its_share_of_memory_and_no_more(files: DataFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"n": [0], "word": ["a" * (300 << 20)]}), files.paths[3])
    monkeypatch.setattr(processes, "left", lambda: 3 * (256 << 20))
    by, word = scanner(), WantedColumn(2, "word", pa.string())
    rows = merge([by.measure(some, Wanted((COLUMN, word))) for some in by.batches(files)])
    assert dict(zip(rows["path"].to_pylist(), rows["unread"].to_pylist(), strict=True))[files.paths[3]] == NO_MEMORY
