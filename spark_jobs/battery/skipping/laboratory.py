"""skip_*: the laboratory of Hudi's own skipping. Its tables are written once for each release of Hudi 1.x."""

from __future__ import annotations

from spark_jobs.battery.skipping import healthy, histories, losses, twin
from spark_jobs.battery.table import BatteryTable

FAMILIES = (losses, healthy, histories, twin)

LAB: dict[str, BatteryTable] = {table.name: table for family in FAMILIES for table in family.TABLES}
