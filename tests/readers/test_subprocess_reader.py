"""A reader works in a process of its own, which may fail without taking the run along."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.engines.readers import open_reader
from lab.stack.project import ROOT
from lab.store.address import Workspace
from tests.waiting import comes_true
from xtable_audit.model.predicate import Compare
from xtable_audit.model.problem import Problem
from xtable_audit.readers.observe import observe
from xtable_audit.readers.subprocess_reader import SubprocessReader

MARCH = Compare("month", "=", "2023-03")


OPENS_A_READER = """
from lab.engines.readers import open_reader
from lab.store.address import Workspace
reader = open_reader("pyiceberg", Workspace("http://127.0.0.1:9", "key", "secret"))
print(reader.version and reader.pid, flush=True)
input()
"""


@pytest.fixture
def apart(tables: Any) -> Iterator[SubprocessReader]:
    reader = open_reader("pyiceberg", tables.store.store)
    yield reader
    reader.close()


def test_a_reader_that_ends_over_a_question_is_an_error_in_words(
    apart: SubprocessReader, tables: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert apart.version
    os.kill(apart.pid, signal.SIGSTOP)  # so that it cannot answer first
    receive = apart._receive

    def die_first() -> object:
        os.kill(apart.pid, signal.SIGKILL)
        return receive()

    monkeypatch.setattr(apart, "_receive", die_first)
    [seen] = observe(apart, tables.store.log, tables.native.metadata, [MARCH], tables.native.data)
    assert (seen.rows, seen.error) == (None, "pyiceberg ended its process (Killed)")


def test_a_reader_that_was_killed_answers_the_next_question(apart: SubprocessReader, tables: Any) -> None:
    assert apart.version
    os.kill(apart.pid, signal.SIGKILL)
    apart._process.wait(10)  # a killed process of many threads looks dead before it is
    assert apart.query(tables.native.metadata, MARCH).rows == 50


def test_a_reader_ends_with_its_parent_even_when_that_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", OPENS_A_READER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdin
    assert parent.stdout
    with parent.stdin, parent.stdout:
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
    assert comes_true(lambda: has_ended(child), 10)


def has_ended(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_reader_that_cannot_be_loaded_is_a_problem_and_no_answer() -> None:
    reader = open_reader("trino", Workspace("http://127.0.0.1:9", "key", "secret"))  # without a server
    with pytest.raises(Problem, match="reader trino needs a Trino"):
        observe(reader, None, "s3://b/metadata/v1.metadata.json", [None], ())


def test_a_reader_that_cannot_be_loaded_is_a_problem_however_often_it_is_asked() -> None:
    reader = open_reader("trino", Workspace("http://127.0.0.1:9", "key", "secret"))
    for _ in range(4):
        with pytest.raises(Problem, match="reader trino needs a Trino"):
            observe(reader, None, "s3://b/metadata/v1.metadata.json", [None], ())


def test_a_reader_whose_process_ends_while_it_is_loaded_is_an_error_however_often_it_is_asked() -> None:
    reader = SubprocessReader("broken", "antigravity_that_is_not_there:Reader", Workspace("", "", ""))
    for _ in range(3):
        [seen] = observe(reader, None, "s3://b/metadata/v1.metadata.json", [None], ())
        assert "No module named 'antigravity_that_is_not_there'" in str(seen.error)
