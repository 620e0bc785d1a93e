"""v8_*, v9_*: histories once more in the table versions of Hudi 1.x, which XTable up to 0.4 cannot read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from spark_jobs.battery import fewer_columns, histories, schema_changes
from spark_jobs.battery.releases import NOT_KNOWN
from spark_jobs.battery.table import BatteryTable

FAMILY = "history_"
VERSIONS: Mapping[int, str] = {8: "1.0.2", 9: "1.2.0"}
"""The table versions, each with the release of Hudi that writes it unless told otherwise."""


def twin(table: BatteryTable, version: int) -> BatteryTable:
    """The same steps with the same options, in this table version. Its name does not contain the first one's."""
    return replace(
        table,
        name=f"v{version}_{table.name.removeprefix(FAMILY)}",
        description=f"{table.description} Table version {version}.",
        hudi=VERSIONS[version],
        refused=NOT_KNOWN,
        twin="",
    )


HISTORIES = tuple(
    table
    for family in (histories, schema_changes, fewer_columns)
    for table in family.TABLES
    if table.name.startswith(FAMILY)
)

TABLES = tuple(twin(table, version) for version in VERSIONS for table in HISTORIES)
