"""The pages of a run, of two runs and of a gate: they need no script, no network and no other file."""

from __future__ import annotations

from importlib.util import find_spec

from xtable_audit.report.diff import Diff
from xtable_audit.report.document import Document
from xtable_audit.report.gate import Gate

# The extra `report` draws them.

NAME, GATE_NAME = "report.html", "gate.html"
NEEDED = ("jinja2", "altair", "vl_convert")
MISSING = "The page needs jinja2, altair and vl-convert-python: pip install 'xtable-audit[report]'."


def can_draw() -> bool:
    return all(find_spec(module) for module in NEEDED)


def page(document: Document) -> str | None:
    """The page of a run as HTML; None if the extra is not installed."""
    if not can_draw():
        return None
    from xtable_audit.report.html.template import render

    return render(document)


def diff_page(diff: Diff) -> str | None:
    """The page of two runs as HTML; None if the extra is not installed."""
    if not can_draw():
        return None
    from xtable_audit.report.html.compared import render_diff

    return render_diff(diff)


def gate_page(gate: Gate) -> str | None:
    """The page of a gate as HTML; None if the extra is not installed."""
    if not can_draw():
        return None
    from xtable_audit.report.html.compared import render_gate

    return render_gate(gate)
