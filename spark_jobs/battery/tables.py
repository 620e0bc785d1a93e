"""Every table of the battery by name. A new table is one entry in the module of its family."""

from __future__ import annotations

from collections.abc import Iterable

from spark_jobs.battery import (
    cleans,
    delta,
    drawn,
    edges,
    edges_of_columns,
    edges_of_numbers,
    edges_of_values,
    fewer_columns,
    histories,
    index,
    mor,
    nested,
    newer,
    partitions,
    plain,
    releases,
    schema_changes,
    signs,
    times,
    types,
)
from spark_jobs.battery.table import BatteryTable
from xtable_audit.model.problem import Problem

FAMILIES = (
    plain,
    types,
    signs,
    times,
    nested,
    index,
    partitions,
    histories,
    cleans,
    schema_changes,
    fewer_columns,
    drawn,
    mor,
    delta,
    releases,
    newer,
    edges,
    edges_of_columns,
    edges_of_numbers,
    edges_of_values,
)

BATTERY: dict[str, BatteryTable] = {table.name: table for family in FAMILIES for table in family.TABLES}


def chosen(names: Iterable[str] = ()) -> tuple[BatteryTable, ...]:
    """The tables of these names; without a name all of them. Raises Problem for an unknown name."""
    wanted = list(names)
    for name in wanted:
        if name not in BATTERY:
            raise Problem(f"The battery has no table {name}: `python -m spark_jobs.battery . --list` names them all.")
    return tuple(BATTERY[name] for name in wanted) if wanted else tuple(BATTERY.values())
