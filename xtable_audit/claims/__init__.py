"""The claims a reader relies on, one module per family. `CLAIMS` holds the claims about a table's metadata, by id."""

from xtable_audit.claims.iceberg import bounds, counts, data_files, layout, manifests, partition, schema, snapshots
from xtable_audit.claims.translation import files, history, rows
from xtable_audit.model.claim import claims_about
from xtable_audit.subject.case import Case

CLAIMS = claims_about(Case)

__all__ = [
    "CLAIMS",
    "bounds",
    "counts",
    "data_files",
    "files",
    "history",
    "layout",
    "manifests",
    "partition",
    "rows",
    "schema",
    "snapshots",
]
