"""Draws the page of one run. Needs the extra [report]; `installed.py` asks whether it is there."""

from __future__ import annotations

from xtable_audit.model.outcome import EXPLAINED, Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.document import Document
from xtable_audit.report.html import pictures
from xtable_audit.report.html.first import first
from xtable_audit.report.html.groups import groups
from xtable_audit.report.html.heat import heat
from xtable_audit.report.html.matrix import matrices
from xtable_audit.report.html.releases import WORDS, of_findings
from xtable_audit.report.html.template import embedded, fill
from xtable_audit.report.html.words import EFFECTS
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
        unrun=_unrun(document),
    )


def _unrun(document: Document) -> list[tuple[str, str, list[ClaimResult]]]:
    """Reasons why claims could not run, are gone, or ended in an error; each with its claims."""
    of: dict[tuple[str, str], list[ClaimResult]] = {}
    for one in document.claims:
        if one.outcome in EXPLAINED and one.outcome is not Outcome.NOT_APPLICABLE:
            of.setdefault((one.outcome.value, one.why), []).append(one)
    return sorted(((how, why, claims) for (how, why), claims in of.items()), key=lambda one: -len(one[2]))
