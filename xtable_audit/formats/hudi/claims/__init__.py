"""Claims about Hudi's own data skipping, one module per family. `CLAIMS` holds the claims about a table, by id."""

from xtable_audit.formats.hudi.claims import answers, bounds, counts, coverage, layers, published
from xtable_audit.formats.hudi.indexed_table import HudiCase
from xtable_audit.model.claim import claims_about

CLAIMS = claims_about(HudiCase, "hudi")

__all__ = ["CLAIMS", "answers", "bounds", "counts", "coverage", "layers", "published"]
