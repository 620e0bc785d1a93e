"""The jars that the battery's tables are written with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lab.stack.jars import resolve_jars, resolve_spark_jars
from lab.stack.maven_repositories import Progress
from lab.stack.versions import delta, stack, stack_with_hudi
from spark_jobs.battery.table import BatteryTable
from xtable_audit.model.problem import Problem


def resolve_battery_jars(tables: Iterable[BatteryTable], progress: Progress | None = None) -> tuple[Path, ...]:
    """The jars of the one release of Hudi that writes these tables, and Delta's if one of them needs it.

    Raises Problem if one is neither on this machine nor available online, and for tables of several releases.
    """
    tables = list(tables)
    releases = sorted({table.hudi for table in tables})
    if len(releases) > 1:
        named = ", ".join(release or "the default" for release in releases)
        raise Problem(f"One Spark process has one Hudi: write the tables of each release ({named}) by themselves.")
    row = stack_with_hudi(releases[0]) if any(releases) else stack()
    jars = resolve_spark_jars(row, progress)
    if any(table.format == "DELTA" for table in tables):
        jars += resolve_jars(delta().jars, progress)
    return jars
