"""`fault.json` as `reproduce/folder.py` makes it, for the tests of the kit's scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xtable_audit.claims.every import EVERY_CLAIM


def fault(claims: Sequence[str], columns: Sequence[str] = (), verdict: str = "", release: str = "1.2.0") -> Any:
    """The first claim is the headline, at `verdict`, or at that which it usually has."""
    headline = {"claim": claims[0], "verdict": verdict or str(EVERY_CLAIM[claims[0]].breaks)}
    known = [
        {"claim": claim, "breaks": str(EVERY_CLAIM[claim].breaks), "columns": list(columns) or ["*"]}
        for claim in claims
    ]
    return {"id": "XTF-000", "title": "a fault", "headline": {release: headline}, "claims": known}
