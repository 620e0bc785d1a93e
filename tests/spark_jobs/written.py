"""Tables of the battery and of the datasets, written once and kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.stack.java import find_java
from lab.stack.versions import stack
from spark_jobs.battery.jars import resolve_battery_jars
from spark_jobs.battery.launch import run_battery
from spark_jobs.battery.table import BatteryTable
from tests.kept import kept


def written_battery(
    tables: Sequence[BatteryTable], root: str = "s3://lake/tables"
) -> tuple[Path, dict[str, dict[str, Any]]]:
    """The folder with a folder a table, and what the writer says of each."""
    return kept(_write, "spark_jobs.battery.__main__", tables=tuple(tables), root=root)


def _write(folder: Path, tables: tuple[BatteryTable, ...], root: str) -> dict[str, dict[str, Any]]:
    jars, java_home = resolve_battery_jars(tables), find_java(stack().java)
    return run_battery(
        tables, folder, root=root, jars=jars, java_home=java_home, log=folder.with_suffix(".log"), timeout=300
    )
