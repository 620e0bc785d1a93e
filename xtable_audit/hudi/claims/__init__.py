"""What one relies on in Hudi's own skipping, one module a family. `CLAIMS` holds them all, by id, once imported."""

from xtable_audit.hudi.claim import CLAIMS, HudiClaim
from xtable_audit.hudi.claims import answers, bounds, counts, coverage, layers

__all__ = ["CLAIMS", "HudiClaim", "answers", "bounds", "counts", "coverage", "layers"]
