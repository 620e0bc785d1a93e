"""The claims a reader relies on, one module per family. `CLAIMS` holds the claims about a table's metadata, by id."""

# Claims are judged and reported in the order of these imports.
# isort: off
from xtable_audit.claims import bounds
from xtable_audit.formats.iceberg.claims import commits
from xtable_audit.claims import counts
from xtable_audit.formats.iceberg.claims import data_files
from xtable_audit.formats.iceberg.claims import delete_files
from xtable_audit.formats.iceberg.claims import deletion_vectors
from xtable_audit.claims import layout
from xtable_audit.formats.iceberg.claims import manifests
from xtable_audit.formats.iceberg.claims import metadata_json
from xtable_audit.claims import partition
from xtable_audit.formats.iceberg.claims import row_lineage
from xtable_audit.formats.iceberg.claims import schema
from xtable_audit.formats.iceberg.claims import snapshots
from xtable_audit.formats.iceberg.claims import statistics
from xtable_audit.claims.translation import columns, files, history, rows, states
from xtable_audit.formats.iceberg.claims import states as iceberg_states
from xtable_audit.claims.translation import syncs
from xtable_audit.formats.iceberg.claims import syncs as iceberg_syncs
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.model.claim import claims_about
from xtable_audit.model.subject_id import ICEBERG
from xtable_audit.subject.case import Case
# isort: on


def claims_of(format: str) -> dict[str, TableClaim]:
    """The claims about tables of that format, by id: those of any format, and its own, as far as they are imported."""
    return claims_about(Case, format)


CLAIMS = claims_of(ICEBERG)

__all__ = [
    "CLAIMS",
    "bounds",
    "claims_of",
    "columns",
    "commits",
    "counts",
    "data_files",
    "delete_files",
    "deletion_vectors",
    "files",
    "history",
    "iceberg_states",
    "iceberg_syncs",
    "layout",
    "manifests",
    "metadata_json",
    "partition",
    "row_lineage",
    "rows",
    "schema",
    "snapshots",
    "states",
    "statistics",
    "syncs",
]
