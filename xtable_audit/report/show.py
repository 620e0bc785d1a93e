"""Reads what a run left, and prints its screen, whichever kind of run it is of."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console

from xtable_audit.report.check_screen import print_check_screen
from xtable_audit.report.document import Document, of_file
from xtable_audit.report.first_screen import headline, print_first_screen
from xtable_audit.report.gate import Gate
from xtable_audit.report.scorecard import print_scorecard

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


def show(console: Console, document: Document, report: str, *, verbose: bool = False) -> None:
    """`verbose` prints the scorecard of an audit above its first screen."""
    if document.own_table is not None:
        print_check_screen(console, document, report)
        return
    console.print(headline(document))
    if verbose:
        print_scorecard(console, document)
        console.print()
    print_first_screen(console, document, report)
