"""The findings of a run that are new, each once."""

from __future__ import annotations

from xtable_audit.model.finding import SEVERITY, Finding
from xtable_audit.model.outcome import Outcome
from xtable_audit.report.document import Document


def new_findings(document: Document) -> list[Finding]:
    """Worst first. One that keeps other claims of its table from being checked counts once."""
    found = [result for result in document.claims if result.outcome is Outcome.FINDING and result.finding]
    own = [result.finding for result in found if result.finding and not result.follows]
    causes = {(finding.claim, finding.table) for finding in own}
    for result in found:
        if result.finding and result.follows and (result.finding.claim, result.finding.table) not in causes:
            causes.add((result.finding.claim, result.finding.table))
            own.append(result.finding)
    return sorted(own, key=lambda one: SEVERITY.index(one.verdict))
