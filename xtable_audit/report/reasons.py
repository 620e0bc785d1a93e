"""Why claims were not judged, or are gone: each reason once, with the number of its claims."""

from __future__ import annotations

from collections import Counter

from xtable_audit.model.figures import many
from xtable_audit.model.outcome import Outcome
from xtable_audit.report.document import Document

UNRUN = (Outcome.INCONCLUSIVE, Outcome.ERROR)
GONE, COULD_NOT_RUN = "Registered but gone: mend the register", "Could not run"


def reasons(document: Document, *outcomes: Outcome) -> list[tuple[tuple[Outcome, str], int]]:
    """Of the claims with one of these outcomes; the reason of most claims first."""
    return Counter((one.outcome, one.why) for one in document.claims if one.outcome in outcomes).most_common()


def listed(document: Document) -> dict[str, list[str]]:
    """Titles with a line for each reason."""
    gone = dict.fromkeys(one.why for one in document.claims if one.outcome is Outcome.GONE)
    unrun = (f"{many(number, 'claim')}: {why}" for (_, why), number in reasons(document, *UNRUN))
    return {GONE: list(gone), COULD_NOT_RUN: list(unrun)}
