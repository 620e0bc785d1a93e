"""Draws the page. Needs the extra [report]; `installed.py` asks whether it is there."""

from __future__ import annotations

import base64
import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from xtable_audit.model.figures import many
from xtable_audit.model.printable import printable
from xtable_audit.report.document import EXPLAINED, ClaimResult, Document, Outcome
from xtable_audit.report.html import pictures
from xtable_audit.report.html.first import first
from xtable_audit.report.html.groups import groups
from xtable_audit.report.html.heat import heat
from xtable_audit.report.html.matrix import matrices
from xtable_audit.report.html.words import EFFECTS, MARKS
from xtable_audit.report.set_aside import set_aside

ROWS = 60
"""Maximum rows of one finding's table on the page; audit.json has all of them."""


def render(document: Document) -> str:
    """The page as HTML. The same document makes the same bytes."""
    found = groups(document)
    style, script = _part("page.css"), _part("page.js")
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            document=document,
            first=first(document, found),
            groups=found,
            heat=heat(document, found),
            pictures={group.anchor: pictures.of_group(group) for group in found},
            reads=pictures.of_reads(document),
            matrices=matrices(document),
            effects=EFFECTS,
            marks=MARKS,
            rows=ROWS,
            many=many,
            unjudged=set_aside(document),
            unrun=_unrun(document),
            embedded=_embedded(document),
            style=style,
            script=script,
            allowed=f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'",
        )
    )


def _unrun(document: Document) -> list[tuple[str, str, list[ClaimResult]]]:
    """Reasons why claims could not run, are gone, or ended in an error; each with its claims."""
    of: dict[tuple[str, str], list[ClaimResult]] = {}
    for one in document.claims:
        if one.outcome in EXPLAINED and one.outcome is not Outcome.NOT_APPLICABLE:
            of.setdefault((one.outcome.value, one.why), []).append(one)
    return sorted(((how, why, told) for (how, why), told in of.items()), key=lambda one: -len(one[2]))


def _embedded(document: Document) -> str:
    """audit.json as a base64 of gzip: an eighth of its size, and without any character that HTML gives a meaning."""
    return base64.b64encode(gzip.compress(document.to_json().encode(), 9, mtime=0)).decode()


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("xtable_audit.report.html", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: Any) -> Any:
    """Every text of a document passes here: control characters become escapes."""
    return printable(value, lines=True) if type(value) is str else value
