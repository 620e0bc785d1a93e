"""What a source table was at an earlier stage of its history, by the steps that its entry has."""

from __future__ import annotations

from spark_jobs.battery.iceberg_table import AT_FIRST
from spark_jobs.battery.table import BatteryTable, Called
from spark_jobs.recipes import Recipe

ROLLBACK = "manage_snapshots.rollback_to_snapshot"
OF_SPEC = "update_spec."


def partitioned_then(source: Recipe | BatteryTable, stage: int) -> tuple[str, ...]:
    """The columns that partitioned the table at that stage."""
    first = dict(source.options).get(AT_FIRST) if isinstance(source, BatteryTable) else None
    if first is None or any(one.startswith(OF_SPEC) for number in range(stage + 1) for one in _called(source, number)):
        return source.partition_by
    return tuple(filter(None, first.split(",")))


def is_rolled_back(source: Recipe | BatteryTable, stage: int) -> bool:
    """Whether that stage is an older state of the table, to which it was rolled back."""
    return ROLLBACK in _called(source, stage)


def _called(source: Recipe | BatteryTable, stage: int) -> list[str]:
    """The methods that were called after the stage before, up to that one."""
    parts: list[list[str]] = [[]]
    for step in source.steps if isinstance(source, BatteryTable) else ():
        if isinstance(step.action, Called):
            parts[-1].append(step.action.method)
        if step.staged:
            parts.append([])
    return parts[stage] if stage < len(parts) else []
