"""Writes tables one by one, as they are thought of, in one Spark process that stays warm."""

from __future__ import annotations

import json
import os
import pickle
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from spark_jobs.battery.table import BatteryTable
from spark_jobs.child import CHILD
from spark_jobs.launch import PROJECT, end, pipe, reason
from stack.problem import Problem

WriteOne = Callable[[BatteryTable], dict[str, Any]]
"""Writes a table to `<folder>/<name>` and returns its facts, as `run_battery` does. Raises Problem."""


@contextmanager
def opened(folder: Path, *, jars: Sequence[Path], java_home: Path, log: Path, timeout: float) -> Iterator[WriteOne]:
    """The process writes Hudi tables of the default stack until the context is left, and dies with its parent.

    `timeout` is in seconds, for one table; the first one's holds Spark's start too.
    """
    command = [sys.executable, "-m", "spark_jobs.battery", str(folder.absolute()), "--follow"]
    with tempfile.TemporaryDirectory(prefix="xtable-audit-spark-") as scratch, log.open("wb") as said:
        leash, held = pipe()  # nothing is ever written to it: it ends when this process does
        asked, following = pipe()
        command += [str(following.fileno()), "--jars", ",".join(map(str, jars)), "--java-home", str(java_home)]
        with (
            leash,
            held,
            asked,
            following,
            subprocess.Popen(
                command,
                cwd=PROJECT,
                env=os.environ | {CHILD: "1", "TMPDIR": scratch},
                stdin=held,
                stdout=subprocess.PIPE,
                stderr=said,
                pass_fds=[following.fileno()],
                start_new_session=True,  # Ctrl-C in a terminal reaches the parent alone, which then ends the job
            ) as job,
        ):

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

            try:
                yield write
            finally:
                end(job)


def _line_of(stream: IO[bytes], timeout: float) -> bytes | None:
    """The next line, empty at the end of the stream; None where none begins in time."""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        return stream.readline() if selector.select(timeout) else None
