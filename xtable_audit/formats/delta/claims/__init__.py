"""Claims that only Delta's log can break. `CLAIMS` holds the claims about a Delta table, by id, neutral ones first."""

from xtable_audit.claims import claims_of
from xtable_audit.formats.delta.claims import log, protocol

CLAIMS = claims_of("delta")

__all__ = ["CLAIMS", "log", "protocol"]
