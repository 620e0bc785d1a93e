"""Threads that have read a small file take turns in measuring it, and none waits for ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from xtable_audit.model import interpreter
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import IsNull
from xtable_audit.model.scan_input import DataFiles, Wanted, WantedColumn
from xtable_audit.scan import LocalScanner
from xtable_audit.values import matching_rows, measure_file
from xtable_audit.values.matching_rows import by_predicate
from xtable_audit.values.open_parquet import WHOLE, open_held

FILES, TURNS = 8, 2
WANTED = Wanted((WantedColumn(1, "n", pa.int64()),))


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> BoundedSemaphore:
    found = BoundedSemaphore(TURNS)
    monkeypatch.setattr(interpreter, "TURNS", found)
    monkeypatch.setattr(interpreter, "LONGEST", 60)
    return found


def written(folder: Path, rows: int) -> list[Path]:
    paths = [folder / f"{number}.parquet" for number in range(FILES)]
    for path in paths:
        pq.write_table(pa.table({"n": pa.array(range(rows))}), path, compression="none", use_dictionary=False)
    return paths


def rows_measured(paths: list[Path]) -> list[int | None]:
    scanner = LocalScanner(Objects(fs.LocalFileSystem()), threads=FILES)
    found: list[int | None] = scanner.measure(DataFiles.at(map(str, paths)), WANTED)["record_count"].to_pylist()
    return found


def rows_counted(paths: list[Path]) -> list[int]:
    scanner = LocalScanner(Objects(fs.LocalFileSystem()), threads=FILES)
    counted = scanner.count(DataFiles.at(map(str, paths)), WANTED.columns, [IsNull("n", negated=True)])
    return [*by_predicate(counted, 1)[0].values()]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many files were worked on at a time, at most: each takes a while."""
    lock = Lock()
    now = most = 0

    def slowly(work: Callable[..., Any]) -> Callable[..., Any]:
        def slow(*arguments: Any) -> Any:
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
            time.sleep(0.1)
            try:
                return work(*arguments)
            finally:
                with lock:
                    now -= 1

        return slow

    monkeypatch.setattr(measure_file, "_measured", slowly(measure_file._measured))
    monkeypatch.setattr(f"{matching_rows.__name__}.open_held", slowly(open_held))
    return lambda: most


def test_rows_of_small_files_are_counted_two_at_a_time(
    turns: BoundedSemaphore, at_once: Callable[[], int], tmp_path: Path
) -> None:
    assert rows_counted(written(tmp_path, 10)) == [10] * FILES
    assert at_once() == TURNS


def test_small_files_are_measured_two_at_a_time(
    turns: BoundedSemaphore, at_once: Callable[[], int], tmp_path: Path
) -> None:
    assert rows_measured(written(tmp_path, 10)) == [10] * FILES
    assert at_once() == TURNS


def test_larger_files_take_no_turns(turns: BoundedSemaphore, at_once: Callable[[], int], tmp_path: Path) -> None:
    paths = written(tmp_path, WHOLE // 8 + 1)
    assert rows_measured(paths) == [WHOLE // 8 + 1] * FILES
    assert at_once() > TURNS


def test_a_file_is_measured_out_of_turn_where_others_take_long(
    turns: BoundedSemaphore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(interpreter, "LONGEST", 0.01)
    with turns, turns:
        assert rows_measured(written(tmp_path, 10)) == [10] * FILES


def test_a_file_that_cannot_be_read_gives_its_turn_back(turns: BoundedSemaphore, tmp_path: Path) -> None:
    paths = written(tmp_path, 10)
    for path in paths:
        path.write_bytes(path.read_bytes()[:-20])
    assert rows_measured(paths) == [None] * FILES
    assert turns.acquire(blocking=False)
    assert turns.acquire(blocking=False)
