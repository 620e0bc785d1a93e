"""Fills a template, the one place where texts become HTML, and draws the page of one run. Needs the extra [report]."""

from __future__ import annotations

import base64
import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.printable import printable
from xtable_audit.report.beside_findings import UNRUN, reasons, set_aside
from xtable_audit.report.document import Document
from xtable_audit.report.groups import groups
from xtable_audit.report.html import document_pictures
from xtable_audit.report.html.first import first
from xtable_audit.report.html.matrices import WORDS, heat, matrices, of_findings
from xtable_audit.report.text import capital

EFFECTS: Final = {
    Verdict.UNSOUND: "Readers lose rows, or take wrong values from the metadata.",
    Verdict.DUPLICATE: "Readers return rows twice.",
    Verdict.STALE: "Readers return rows that are deleted, or not their newest version.",
    Verdict.FAILED_SILENTLY: "An operation fails, and nothing reports it.",
    Verdict.UNREADABLE: "The sync fails, or readers raise an error.",
    Verdict.LOOSE: "Results are right; readers scan files that they could skip.",
    Verdict.COSMETIC: "Wrong, but it misleads no reader known to the suite.",
}

MARKS: Final = {
    Verdict.UNSOUND: "✗",
    Verdict.DUPLICATE: "‖",
    Verdict.STALE: "↺",
    Verdict.FAILED_SILENTLY: "∅",
    Verdict.UNREADABLE: "!",
    Verdict.LOOSE: "≈",
    Verdict.COSMETIC: "·",
}
"""A sign for each verdict, so that no colour alone tells it."""


def fill(template: str, **values: Any) -> str:
    """The page as HTML."""
    script = _part("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        _environment()
        .get_template(template)
        .render(**values, many=many, marks=MARKS, style=_part("page.css"), script=script, allowed=f"'sha256-{digest}'")
    )


def embedded(source: str) -> str:
    """The JSON that a page is drawn from, for its download.

    As a base64 of gzip: an eighth of its size, and without any character that HTML gives a meaning.
    """
    return base64.b64encode(gzip.compress(source.encode(), 9, mtime=0)).decode()


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("xtable_audit.report.html", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["capital"] = capital
    return made


def _shown(value: Any) -> Any:
    """Every text of a document passes here: control characters become escapes."""
    return printable(value, lines=True) if type(value) is str else value


ROWS = 60
"""Maximum rows of one finding's table on the page; audit.json has all of them."""


def render(document: Document) -> str:
    """The page as HTML. The same document makes the same bytes."""
    found = groups(document)
    return fill(
        "page.html.j2",
        embedded=embedded(document.to_json()),
        document=document,
        first=first(document, found),
        groups=found,
        heat=heat(document, found),
        pictures={group.anchor: document_pictures.of_group(group) for group in found},
        reads=document_pictures.of_reads(document),
        matrices=matrices(document),
        effects=EFFECTS,
        rows=ROWS,
        grids=list(of_findings(document, found)),
        of_releases=WORDS,
        unjudged=set_aside(document),
        unrun=reasons(document, *UNRUN, Outcome.GONE),
    )
