"""The claims a reader relies on, one module per family. `CLAIMS` holds the claims about a table's metadata, by id."""

from xtable_audit.claims.iceberg import (
    bounds,
    commits,
    counts,
    data_files,
    delete_files,
    deletion_vectors,
    layout,
    manifests,
    metadata_json,
    partition,
    row_lineage,
    schema,
    snapshots,
    statistics,
)
from xtable_audit.claims.translation import columns, files, history, rows, states, syncs
from xtable_audit.model.claim import claims_about
from xtable_audit.subject.case import Case

CLAIMS = claims_about(Case)

__all__ = [
    "CLAIMS",
    "bounds",
    "columns",
    "commits",
    "counts",
    "data_files",
    "delete_files",
    "deletion_vectors",
    "files",
    "history",
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
