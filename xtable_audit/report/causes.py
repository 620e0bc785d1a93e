"""The findings of one table by cause, each cause once."""

from __future__ import annotations

from collections.abc import Sequence

from xtable_audit.model.finding import SEVERITY, Finding
from xtable_audit.report.document import Document

CONSEQUENCES = {"points_skip_what_exact_bounds_would": ("bounds_are_present", "bounds_are_tight")}
"""Claims that measure what the failure of other claims costs, shown with those on the same columns."""


def causes(document: Document) -> list[list[Finding]]:
    """Findings, worst first: each root, then those that follow from it, say the same of the same values, or have the
    same known cause.
    """
    findings = [result.finding for result in document.claims if result.finding]
    by_claim = {one.claim: one for one in findings}
    groups: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda one: (_follows(one, by_claim), *_order(one))):
        leader = by_claim[finding.root] if _follows(finding, by_claim) else finding
        key = leader.registered or leader.saw
        if finding.claim in CONSEQUENCES and finding.registered is None:
            key = next((key for key, (first, *_) in groups.items() if _explains(first, finding)), key)
        groups.setdefault(key, []).append(finding)
    return sorted(groups.values(), key=_worst)


def _follows(finding: Finding, by_claim: dict[str, Finding]) -> bool:
    """Whether it is shown with its root: not if it is known by another cause."""
    return finding.root in by_claim and finding.registered in (None, by_claim[finding.root].registered)


def _order(finding: Finding) -> tuple[int, bool]:
    return SEVERITY.index(finding.verdict), finding.claim in CONSEQUENCES


def _worst(group: Sequence[Finding]) -> tuple[int, bool]:
    return min(map(_order, group))


def _explains(first: Finding, consequence: Finding) -> bool:
    """Whether bounds that are absent or wide are the reason."""
    return first.claim in CONSEQUENCES[consequence.claim] and set(consequence.columns) <= set(first.columns)
