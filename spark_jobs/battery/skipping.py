"""skip_*: the laboratory of Hudi's own skipping. Its tables are written once for each release of Hudi 1.x."""

from __future__ import annotations

from spark_jobs.battery import skipping_histories, skipping_losses, skipping_twin, skipping_types
from spark_jobs.battery.table import BatteryTable

FAMILIES = (skipping_losses, skipping_types, skipping_histories, skipping_twin)

LAB: dict[str, BatteryTable] = {table.name: table for family in FAMILIES for table in family.TABLES}
