"""The claims a reader relies on, one module a family. `CLAIMS` holds them all, by id, once imported."""

from xtable_audit.claims import bounds, counts, files, history, layout, partition, rows, schema
from xtable_audit.claims.claim import CLAIMS, Claim

__all__ = ["CLAIMS", "Claim", "bounds", "counts", "files", "history", "layout", "partition", "rows", "schema"]
