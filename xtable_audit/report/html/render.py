"""Draws the page of one run. Needs the extra [report]; `installed.py` asks whether it is there."""

from __future__ import annotations

from xtable_audit.model.outcome import Outcome
from xtable_audit.report.document import Document
from xtable_audit.report.groups import groups
from xtable_audit.report.html import pictures
from xtable_audit.report.html.first import first
from xtable_audit.report.html.heat import heat
from xtable_audit.report.html.matrix import matrices
from xtable_audit.report.html.releases import WORDS, of_findings
from xtable_audit.report.html.template import embedded, fill
from xtable_audit.report.html.words import EFFECTS
from xtable_audit.report.reasons import UNRUN, reasons
from xtable_audit.report.set_aside import set_aside

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
        pictures={group.anchor: pictures.of_group(group) for group in found},
        reads=pictures.of_reads(document),
        matrices=matrices(document),
        effects=EFFECTS,
        rows=ROWS,
        grids=list(of_findings(document, found)),
        of_releases=WORDS,
        unjudged=set_aside(document),
        unrun=reasons(document, *UNRUN, Outcome.GONE),
    )
