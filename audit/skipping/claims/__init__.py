"""What one relies on in Hudi's own skipping, one module a family. `CLAIMS` holds them all, by id, once imported."""

from audit.skipping.claim import CLAIMS, HudiClaim
from audit.skipping.claims import answers, bounds, counts, coverage, layers

__all__ = ["CLAIMS", "HudiClaim", "answers", "bounds", "counts", "coverage", "layers"]
