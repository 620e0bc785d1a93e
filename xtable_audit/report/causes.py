"""The findings of one table by cause, each cause once."""

from __future__ import annotations

from xtable_audit.model.finding import SEVERITY, Finding
from xtable_audit.report.document import Document

CONSEQUENCES = {"points_skip_what_exact_bounds_would": ("bounds_are_present", "bounds_are_tight")}
"""Claims that measure what the failure of other claims costs, shown with those on the same columns."""


def causes(document: Document) -> list[list[Finding]]:
    """Findings, worst first, each with those that say the same of the same values, or have the same known cause."""
    findings = [result.finding for result in document.claims if result.finding]
    groups: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda one: (SEVERITY.index(one.verdict), one.claim in CONSEQUENCES)):
        key = finding.registered or finding.saw
        if finding.claim in CONSEQUENCES and finding.registered is None:
            key = next((key for key, (first, *_) in groups.items() if _explains(first, finding)), key)
        groups.setdefault(key, []).append(finding)
    return list(groups.values())


def _explains(first: Finding, consequence: Finding) -> bool:
    """Whether bounds that are absent or wide are the reason."""
    return first.claim in CONSEQUENCES[consequence.claim] and set(consequence.columns) <= set(first.columns)
