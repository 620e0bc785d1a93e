"""Reads what a run left, an audit.json or a gate.json, whatever the file is called."""

from __future__ import annotations

import json
from pathlib import Path

from xtable_audit.report.document import Document, of_file
from xtable_audit.report.gate import Gate

OF_A_GATE = '"differences"'
"""A key that each gate.json has; a text without it need not be parsed to know that it is none."""


def load(path: Path) -> Document | Gate:
    """Raises UnreadableDocument, which names the file."""
    with of_file(path):
        text = path.read_text(encoding="utf-8")
        return Gate.from_json(text) if _is_gate(text) else Document.from_json(text)


def _is_gate(text: str) -> bool:
    from xtable_audit.report.gate_json import is_gate

    try:
        return OF_A_GATE in text and is_gate(json.loads(text))
    except json.JSONDecodeError:
        return False
