"""One claim on one subject: needs, deviations, finding, blame, register, outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from xtable_audit.blame.causes import signs_of
from xtable_audit.blame.ruling import Ruling
from xtable_audit.claims.deviation import Deviation, other_columns
from xtable_audit.claims.needs import OF_SOURCE
from xtable_audit.claims.readable import Opened, Unreadable, metadata_and_data_files_can_be_read
from xtable_audit.model.claim import Claim, Need
from xtable_audit.model.columns import HUDIS_OWN
from xtable_audit.model.figures import many
from xtable_audit.model.file_ranges import FileRanges
from xtable_audit.model.finding import Finding, Impact, worst
from xtable_audit.model.outcome import Cause, Outcome
from xtable_audit.subject.case import Case
from xtable_audit.subject.file_ranges import ranges_of_wrong

S = TypeVar("S")
D = TypeVar("D")

Describe = Callable[[list[D], Ruling], Finding]
"""Makes the finding of deviations, by their ruling."""
Whose = Ruling | Callable[[list[D]], Ruling]
"""The ruling on deviations, or what decides it once there are some."""
Finish = Callable[[Finding, Sequence[D]], Finding]
"""Completes a finding: recognises its cause in the register, and says how to see it again and what mends it."""


@dataclass(frozen=True)
class Judgement:
    """The outcome of one claim on one subject."""

    outcome: Outcome
    reason: str = ""
    """Why nothing is compared; "" if something is."""
    why: str = ""
    """Why the need is unmet for which nothing is compared; "" if the need's own words say enough."""
    cause: Cause | None = None
    """What keeps the claim from being judged, if anything depends on it."""
    finding: Finding | None = None
    """Present if the claim fails."""
    waits: bool = False
    """Whether nothing is compared because part of the subject is not read yet."""

    @classmethod
    def not_applicable(cls, reason: str) -> Judgement:
        return cls(Outcome.NOT_APPLICABLE, reason)

    @classmethod
    def inconclusive(cls, reason: str) -> Judgement:
        return cls(Outcome.INCONCLUSIVE, reason)


def judge(
    claim: Claim[S, D],
    subject: S,
    describe: Describe[D],
    whose: Whose[D] | None = None,
    *,
    left: Callable[[list[D]], list[D]] | None = None,
    finish: Finish[D] | None = None,
) -> Judgement:
    """Judges the claim on the subject.

    `left` returns the deviations that count: without those that a table's configuration or its user excuses. `whose` is
    asked unless the claim itself says whose fault each deviation is.
    """
    lacking = claim.lacks(subject)
    if lacking is not None:
        return _not_compared(lacking, subject)
    found = claim.deviations(subject)
    if left is not None:
        found = left(found)
    if not found:
        return Judgement(Outcome.HELD)
    ruling = claim.blame or (whose(found) if callable(whose) else whose)
    assert ruling is not None, f"{claim.id} does not say whose fault it is"
    finding = describe(found, ruling)
    if finish is not None:
        finding = finish(finding, found)
    return Judgement(Outcome.KNOWN if finding.registered else Outcome.FINDING, finding=finding)


def _not_compared(lacking: Need[S], subject: S) -> Judgement:
    """Inconclusive if the run lacks the need or does not read it, or if the state of the source that a user names is
    unknown.
    """
    if lacking.waits(subject):
        return Judgement(Outcome.INCONCLUSIVE, f"the claim needs {lacking.words}, which is not read", waits=True)
    why = lacking.why(subject)
    reason = f"the claim needs {lacking.words}" + (f": {why}" if why else "")
    if why and lacking in OF_SOURCE:
        return Judgement(Outcome.INCONCLUSIVE, reason, why, Cause.NOT_COMPARED)
    return Judgement(Outcome.INCONCLUSIVE if lacking.of_run else Outcome.NOT_APPLICABLE, reason, why)


NOTHING = Impact(0, 0, 0, 0)
"""The impact on a table of which nothing is known."""


def judge_opened(
    table: str,
    opened: Opened,
    whose: Whose[Unreadable],
    *,
    impact: Impact = NOTHING,
    finish: Finish[Unreadable] | None = None,
) -> Judgement:
    """Whether the metadata and the data files of the table with this id can be read."""
    claim = metadata_and_data_files_can_be_read

    def describe(found: list[Unreadable], ruling: Ruling) -> Finding:
        [one] = found
        verdict = one.verdict or claim.breaks
        finding = Finding(claim.id, claim.sentence, verdict, table, one.saw, one.expected, impact, *ruling)
        if one.misfit is None:
            return finding
        return replace(finding, deviation=str(one.misfit.kind), misfit=one.misfit.column)

    return judge(claim, opened, describe, whose, finish=finish)


BOUNDS = "bounds"
"""The family of claims that are shown by the bounds of each file."""


def judge_table(
    claim: Claim[Any, Deviation],
    case: Case,
    whose: Whose[Deviation],
    *,
    left: Callable[[list[Deviation]], list[Deviation]] | None = None,
    finish: Finish[Deviation] | None = None,
) -> Judgement:
    """Judges a claim about the case of one table, or about a part of it, such as its history."""
    subject = case if claim.about is Case else claim.about(case)
    own = claim.under(case.rules)
    return judge(own, subject, partial(build_finding, own, case), whose, left=left, finish=finish)


def build_finding(claim: Claim[Any, Deviation], case: Case, found: list[Deviation], ruling: Ruling) -> Finding:
    """The finding for these deviations. It describes the worst one and counts the others."""
    blame, because = ruling
    verdict = worst([d.verdict or claim.breaks for d in found])
    worst_ones = [d for d in found if (d.verdict or claim.breaks) == verdict]
    first = min(worst_ones, key=lambda d: (d.column or "").startswith(HUDIS_OWN))  # the user's own columns first
    return Finding(
        claim=claim.id,
        sentence=claim.sentence,
        verdict=verdict,
        table=case.id,
        saw=first.saw + _others(found, first),
        expected=first.expected,
        impact=replace(
            case.impact({place for d in found for place in d.places}),
            unlisted=sum(d.unlisted for d in found),
            wrong=_rows(found),
        ),
        blame=blame,
        because=because,
        column=first.column,
        ranges=_ranges(claim, case, found, first.column),
        columns=tuple(sorted({d.column for d in found if d.column})),
        signs=signs_of(case, [(one.column, one.places) for one in found]),
        deviation=str(first.kind),
    )


def _ranges(claim: Claim[Any, Deviation], case: Case, found: list[Deviation], column: str | None) -> FileRanges | None:
    if claim.family != BOUNDS or column is None:
        return None
    return ranges_of_wrong(case, column, {place for one in found if one.column == column for place in one.places})


def _rows(found: list[Deviation]) -> int:
    """Rows lost or wrong. Columns may deviate in the same rows, so the column with the most of them counts."""
    rows: Counter[str | None] = Counter()
    for one in found:
        rows[one.column] += one.rows
    return max(rows.values())


def _others(found: list[Deviation], first: Deviation) -> str:
    files = f" ({many(len(first.places), 'file')} alike)" if len(first.places) > 1 and not first.whole else ""
    return files + other_columns(found, first)
