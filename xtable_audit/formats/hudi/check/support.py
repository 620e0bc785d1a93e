"""What `check` needs of a Hudi table, in one place: its claims, and who wrote it."""

from __future__ import annotations

from xtable_audit.claims import claims_of
from xtable_audit.formats.check_support import XTABLE, CheckSupport, MetadataWriter
from xtable_audit.formats.hudi.claims import listing
from xtable_audit.formats.hudi.target.table import hudi_of
from xtable_audit.model.columns import Leaf
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import PROPERTY

UNKNOWN = MetadataWriter(because="nothing on the timeline says what wrote it")
NAMES = {
    "int32": ("int",),
    "int64": ("long",),
    "float": ("float",),
    "double": ("double",),
    "bool": ("boolean",),
    "binary": ("bytes", "fixed"),
    "date32[day]": ("date",),
}


def _writer(stored: StoredMetrics) -> MetadataWriter:
    synced = hudi_of(stored).last_synced
    if synced is None:
        return UNKNOWN
    return MetadataWriter(XTABLE, "", (), synced.format, f"the newest commit holds {PROPERTY}")


def _source_types(leaf: Leaf) -> tuple[str, ...]:
    """The names that sources have for the column's type (`xtable_audit.model.source_fact.LEAF_TYPES`)."""
    type = str(leaf.arrow)
    if type.startswith("decimal"):
        return ("decimal",)
    if type.startswith("timestamp"):
        return ("timestamp",) if "tz=" in type else ("timestamp_ntz", "timestamp")
    return NAMES.get(type, (type,))


HUDI = CheckSupport(
    claims={**claims_of("hudi"), listing.listing_is_that_of_the_timeline.id: listing.listing_is_that_of_the_timeline},
    expected="a timeline and a metadata table whose files are of Hudi's form",
    format_version=lambda stored: int(hudi_of(stored).settings.get("hoodie.table.version", "1")),
    writer=_writer,
    unknown=UNKNOWN,
    says_no_sync=f"the newest commit has no {PROPERTY}, in which XTable says up to where it synced",
    source_types=_source_types,
)
