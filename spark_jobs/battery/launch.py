"""Runs the battery's writer as a child process that cannot outlive its parent."""

from __future__ import annotations

import json
import pickle
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spark_jobs.battery.table import BatteryTable
from spark_jobs.launch import output_of


def run_battery(
    tables: Sequence[BatteryTable],
    folder: Path,
    *,
    jars: Sequence[Path],
    java_home: Path,
    log: Path,
    timeout: float,
) -> dict[str, dict[str, Any]]:
    """Writes the tables to `<folder>/<name>/<stage>/…` in one Spark process and returns each one's facts by name.

    They need not be tables of the battery: entries made up elsewhere are written all the same.
    The facts are those of `<folder>/<name>/table.json`: `failure` says why a table could not be written, and is None
    for all others. `timeout` is in seconds, for all of them. Raises Problem where the process itself fails; tables
    that have a table.json by then are whole. However this ends, no process of it is left.
    """
    with tempfile.NamedTemporaryFile(suffix=".pickle") as entries:  # whole entries: a drawn history has no name there
        pickle.dump(tuple(tables), entries)
        entries.flush()
        command = [sys.executable, "-m", "spark_jobs.battery", str(folder.absolute()), "--entries", entries.name]
        command += ["--jars", ",".join(map(str, jars)), "--java-home", str(java_home)]
        lines = output_of(command, "the battery", log=log, timeout=timeout).decode().splitlines()
    return {facts["name"]: facts for facts in map(json.loads, lines)}
