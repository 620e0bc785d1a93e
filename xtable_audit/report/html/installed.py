"""Asks whether the extra that draws the page is installed."""

from __future__ import annotations

from importlib.util import find_spec

from xtable_audit.report.document import Document

NAME = "report.html"
NEEDED = ("jinja2", "altair", "vl_convert")
MISSING = "report.html needs jinja2, altair and vl-convert-python: pip install 'xtable-audit[report]'."


def can_draw() -> bool:
    return all(find_spec(module) for module in NEEDED)


def page(document: Document) -> str | None:
    """The page as HTML; None if the extra is not installed."""
    if not can_draw():
        return None
    from xtable_audit.report.html.render import render

    return render(document)
