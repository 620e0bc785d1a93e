"""A run as a badge: the JSON that shields.io's endpoint reads."""

from __future__ import annotations

import json

from xtable_audit.model.outcome import RunVerdict
from xtable_audit.report.document import Document
from xtable_audit.report.groups import known_findings

COLORS = {
    RunVerdict.CONFORMANT: "brightgreen",
    RunVerdict.KNOWN_DEFECTS: "yellow",
    RunVerdict.ADVICE: "green",
    RunVerdict.FINDINGS: "red",
    RunVerdict.INCONCLUSIVE: "lightgrey",
    RunVerdict.ERROR: "lightgrey",
}


def badge(document: Document) -> str:
    """By https://shields.io/badges/endpoint-badge. A replay says so, for it is no statement about today."""
    what = document.own_table.name if document.own_table else f"XTable {document.translation.release}"
    words = str(document.verdict).lower().replace("_", " ")
    if document.verdict is RunVerdict.KNOWN_DEFECTS:
        words = f"{len(known_findings(document))} {words}"
    replay = " (replay)" if document.translation.mode == "recorded" else ""
    shown = {"schemaVersion": 1, "label": what, "message": words + replay, "color": COLORS[document.verdict]}
    return json.dumps(shown, ensure_ascii=False) + "\n"
