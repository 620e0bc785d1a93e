"""The advice of a finding: what mends it, with the statement for this table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from xtable_audit.claims.deviation import Deviation
from xtable_audit.formats.check_support import Advice, FilledRemedy
from xtable_audit.model.finding import Finding
from xtable_audit.model.result import ClaimResult
from xtable_audit.table.stored_metrics import StoredMetrics

BLOCKED_BY = (
    "every_file_exists",
    "metadata_and_data_files_can_be_read",
    "no_file_is_listed_twice",
    "tuples_equal_every_row",
)
"""Claims whose failure makes a rewrite fail, or keeps what is wrong for good."""
WAITS = "Check again once this holds"


def mending(
    advice: Advice,
    finding: Finding,
    stored: StoredMetrics,
    deviations: Sequence[Deviation],
    names: Mapping[str, str],
) -> tuple[FilledRemedy, ...]:
    """What mends the finding; of what XTable wrote the register says what to do.

    `stored` is what the places of the deviations count in; `names` are those of the table in statements.
    """
    return tuple(advice.fill(remedy, finding, stored, deviations, names) for remedy in advice.serving(finding, stored))


def without_blocked(advice: Advice, results: Iterable[ClaimResult], stored: StoredMetrics) -> tuple[ClaimResult, ...]:
    """The results, without advice to rewrite files that cannot be read, are listed twice, or have false tuples that a
    rewrite makes values of: what is in the way is to be mended first. `stored` is the part whose values are judged.
    """
    found = tuple(results)
    failing = {one.claim: one.finding for one in found if one.finding is not None}
    blocking = (failing[id] for id in BLOCKED_BY if id in failing)
    first = next((one for one in blocking if not _is_safe(one, advice, stored)), None)
    return tuple(_waiting(one, first) for one in found) if first is not None else found


def _is_safe(blocking: Finding, advice: Advice, stored: StoredMetrics) -> bool:
    """Whether its files can be rewritten all the same: only tuples are rewritten where they are no values."""
    return any(remedy.rewrites for remedy in advice.serving(blocking, stored))


def _waiting(result: ClaimResult, first: Finding) -> ClaimResult:
    """The result, whose own advice waits for what mends `first`. That of XTable's tables rewrites nothing."""
    finding = result.finding
    if finding is None or finding.claim == first.claim or not finding.advice or finding.blame.is_xtables:
        return result
    return replace(result, finding=replace(finding, advice=(f"{WAITS}: {first.sentence}",)))
