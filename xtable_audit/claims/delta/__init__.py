"""Claims that only Delta's log can break. `CLAIMS` holds the claims about a Delta table, by id, neutral ones first."""

from xtable_audit.claims.delta import log, protocol
from xtable_audit.model.claim import claims_about
from xtable_audit.subject.case import Case

CLAIMS = claims_about(Case, "delta")

__all__ = ["CLAIMS", "log", "protocol"]
