"""Writes tables one by one, as they are thought of, in one Spark process that stays warm."""

from __future__ import annotations

import json
import pickle
import selectors
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from spark_jobs.battery.table import BatteryTable
from spark_jobs.launch import pipe, reason, started
from stack.problem import Problem

WriteOne = Callable[[BatteryTable], dict[str, Any]]
"""Writes a table to `<folder>/<name>` and returns its facts, as `run_battery` does. Raises Problem."""


@contextmanager
def opened(folder: Path, *, jars: Sequence[Path], java_home: Path, log: Path, timeout: float) -> Iterator[WriteOne]:
    """The process writes Hudi tables of the default stack until the context is left, and dies with its parent.

    `timeout` is in seconds, for one table; the first one's holds Spark's start too.
    """
    asked, following = pipe()
    command = [sys.executable, "-m", "spark_jobs.battery", str(folder.absolute())]
    command += ["--follow", str(following.fileno()), "--jars", ",".join(map(str, jars)), "--java-home", str(java_home)]
    with asked, following, started(command, log, pass_fds=[following.fileno()]) as job:

        def write(table: BatteryTable) -> dict[str, Any]:
            pickle.dump(table, asked)
            asked.flush()
            assert job.stdout is not None
            line = _line_of(job.stdout, timeout)
            if line is None:
                raise Problem(f"Writing {table.name} took more than {timeout:g} s. Log: {log}")
            if not line:
                raise Problem(reason(table.name, job.wait(), log))
            return dict(json.loads(line))

        yield write


def _line_of(stream: IO[bytes], timeout: float) -> bytes | None:
    """The next line, empty at the end of the stream; None where none begins in time."""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        return stream.readline() if selector.select(timeout) else None
