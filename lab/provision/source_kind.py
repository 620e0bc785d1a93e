"""The kind of source that a table has, as a gate groups them: its format, and what a release of XTable must know."""

from __future__ import annotations

from lab.provision.sources.known import FORMATS
from lab.subjects.offer import OWN_INDEXES, Offer
from spark_jobs.battery.table import BatteryTable
from spark_jobs.recipes import Recipe
from xtable_audit.report.compare import HUDIS_INDEXES

OTHER = "Iceberg"
"""Of a table that is neither of the battery nor written by a recipe: somebody else's provider offers it."""


def source_kind(offer: Offer) -> str:
    """`Hudi, COPY_ON_WRITE`, `Delta with deletion vectors`, …; the format alone for what is neither."""
    if offer.metadata == OWN_INDEXES:
        return HUDIS_INDEXES
    if isinstance(offer.entry, BatteryTable | Recipe):
        return FORMATS[offer.entry.format].kind(offer.entry)
    return OTHER
