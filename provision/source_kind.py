"""The kind of source that a table has, as a gate groups them: its format, and what a release of XTable must know."""

from __future__ import annotations

from typing import Any

from spark_jobs.battery.table import BatteryTable
from subjects.offer import Offer
from xtable_audit.report.compare import HUDIS_INDEXES

ICEBERG = "Iceberg"
OF_HUDI = {"MERGE_ON_READ": "Hudi, MERGE_ON_READ", "COPY_ON_WRITE": "Hudi, COPY_ON_WRITE"}
HUDI_REFUSED = "Hudi, a table version above 6"
OF_DELTA = {
    "delta.enableDeletionVectors": ("true", "Delta with deletion vectors"),
    "delta.columnMapping.mode": ("name", "Delta with column mapping"),
}
"""Table property -> the value that turns the feature on, and the kind of table that has it."""


def source_kind(offer: Offer) -> str:
    """`Hudi, COPY_ON_WRITE`, `Delta with deletion vectors`, …; the format alone for what is neither."""
    if offer.metadata == "hudi":
        return HUDIS_INDEXES
    if isinstance(offer.entry, BatteryTable):
        return _of_battery(offer.entry)
    return OF_HUDI["COPY_ON_WRITE"] if _format(offer.entry) == "HUDI" else ICEBERG


def _of_battery(table: BatteryTable) -> str:
    if table.format == "DELTA":
        kinds = (kind for name, (on, kind) in OF_DELTA.items() if table.options.get(name) == on)
        return next(kinds, "Delta")
    if table.refused is not None:
        return HUDI_REFUSED
    return OF_HUDI[table.options.get("hoodie.datasource.write.table.type", "COPY_ON_WRITE")]


def _format(entry: Any) -> str:
    return str(getattr(entry, "format", ""))
