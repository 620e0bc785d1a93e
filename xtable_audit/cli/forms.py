"""What `xtable-audit report --as` prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from xtable_audit.report.document import Document
    from xtable_audit.report.gate import Gate

FORMS = ("screen", "junit", "summary", "sarif", "annotations", "outputs", "badge")
OF_GATE = ("screen", "summary", "outputs")
"""The forms that a gate has."""


def rendered(of: Document | Gate, form: str, shown_at: Path | None) -> str:
    """The document in one of FORMS but the screen, a gate in one of OF_GATE.

    Raises Problem if the file `shown_at` cannot be read, UsageError for a form that a gate does not have.
    """
    from xtable_audit.report.gate import Gate
    from xtable_audit.report.workflow_commands import outputs

    if form == "outputs":
        return outputs(of)
    return _of_gate(of, form) if isinstance(of, Gate) else _of_run(of, form, shown_at)


def _of_gate(gate: Gate, form: str) -> str:
    from xtable_audit.report.gate_page import summary

    if form not in OF_GATE:
        raise click.UsageError(f"a gate has no {form}: choose {', '.join(OF_GATE)}")
    return summary(gate)


def _of_run(document: Document, form: str, shown_at: Path | None) -> str:
    from xtable_audit.report.badge import badge
    from xtable_audit.report.junit import junit
    from xtable_audit.report.place import find
    from xtable_audit.report.sarif import sarif
    from xtable_audit.report.summary import summary
    from xtable_audit.report.workflow_commands import workflow_commands

    place = find(document, shown_at) if shown_at else None
    match form:
        case "junit":
            return junit(document)
        case "summary":
            return summary(document)
        case "badge":
            return badge(document)
        case "sarif":
            return sarif(document, place)
        case _:
            return workflow_commands(document, place)
