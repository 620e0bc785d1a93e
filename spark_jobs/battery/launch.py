"""Runs the battery's writer, table by table, in one Spark process that stays warm and cannot outlive its parent."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from spark_jobs.battery.table import BatteryTable
from spark_jobs.launch import line_of, pipe, started

WriteOne = Callable[[BatteryTable], dict[str, Any]]
"""Writes a table to `<folder>/<name>/<stage>/…` and returns its facts, which are those of `<folder>/<name>/table.json`.

`failure` says why a table could not be written, and is None for all others. Raises Problem if the process fails.
"""


@contextmanager
def writer(
    folder: Path, *, root: str, jars: Sequence[Path], java_home: Path, log: Path, timeout: float
) -> Iterator[WriteOne]:
    """The process writes any table that its jars support, until the context is left.

    Each is written at `<root>/<name>` and is valid only there; a root is an address such as `s3://bucket/tables`.
    Entries that are not in the battery are written too. `timeout` is in seconds,
    for one table; the first one's includes Spark's start. However this ends, no process of it is left.
    """
    requests, following = pipe()
    command = [sys.executable, "-m", "spark_jobs.battery", str(folder.absolute()), "--root", root]
    command += ["--follow", str(following.fileno()), "--jars", ",".join(map(str, jars)), "--java-home", str(java_home)]
    with requests, following, started(command, log, pass_fds=[following.fileno()]) as job:

        def write(table: BatteryTable) -> dict[str, Any]:
            with suppress(BrokenPipeError):  # the process has died: its exit code and log say why
                pickle.dump(table, requests)
                requests.flush()
            return dict(json.loads(line_of(job, table.name, log=log, timeout=timeout)))

        yield write


def run_battery(
    tables: Sequence[BatteryTable],
    folder: Path,
    *,
    root: str,
    jars: Sequence[Path],
    java_home: Path,
    log: Path,
    timeout: float,
) -> dict[str, dict[str, Any]]:
    """Writes the tables in one such process and returns each one's facts by name. Raises Problem as the writer does."""
    with writer(folder, root=root, jars=jars, java_home=java_home, log=log, timeout=timeout) as write:
        return {table.name: write(table) for table in tables}
