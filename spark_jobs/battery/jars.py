"""The jars that the battery's tables are written with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from spark_jobs.battery.table import BatteryTable
from stack.jars import resolve_jars, resolve_spark_jars
from stack.maven import Progress
from stack.versions import delta, stack


def resolve_battery_jars(tables: Iterable[BatteryTable], progress: Progress | None = None) -> tuple[Path, ...]:
    """The default stack's jars, and Delta's where a table asks for them.

    Raises Problem where one is neither on this machine nor to be had.
    """
    jars = resolve_spark_jars(stack(), progress)
    if any(table.format == "DELTA" for table in tables):
        jars += resolve_jars(delta().jars, progress)
    return jars
