"""`fault.json` as `tools/reproduce/folder.py` makes it, for the tests of the kit's scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tools.reproduce.finding import KIT_FOLDER
from xtable_audit.claims.every import EVERY_CLAIM


def fault(claims: Sequence[str], columns: Sequence[str] = (), verdict: str = "", release: str = "1.2.0") -> Any:
    """The first claim is the headline, at `verdict`, or at that which it usually has."""
    headline = {"claim": claims[0], "verdict": verdict or str(EVERY_CLAIM[claims[0]].breaks)}
    known = [
        {"claim": claim, "breaks": str(EVERY_CLAIM[claim].breaks), "columns": list(columns) or ["*"]}
        for claim in claims
    ]
    return {"id": "XTF-000", "title": "a fault", "headline": {release: headline}, "claims": known}


def named_by(script: str) -> set[str]:
    """The claims that a script of the kit names, with the modules that it shares with others."""
    texts = [
        (KIT_FOLDER / name).read_text(encoding="utf-8") for name in (script, "checks.py", "columns.py", "files.py")
    ]
    named = {claim for text in texts for claim in re.findall(r'(?:Fails\(|yield |claim = |else )"([a-z_]+)"', text)}
    of_files = {claim for claim in named if claim.startswith("no_file_is_")}
    return named | {f"{claim}_after_a_sync" for claim in of_files}
