"""Judges claims about one table, and turns their deviations into a finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from xtable_audit.blame.ruling import Ruling
from xtable_audit.blame.signs import signs_of
from xtable_audit.claims.deviation import Deviation, other_columns
from xtable_audit.judge.judge import Finish, Judgement, Whose, judge
from xtable_audit.model.claim import Claim
from xtable_audit.model.columns import HUDIS_OWN
from xtable_audit.model.figures import many
from xtable_audit.model.file_ranges import FileRanges
from xtable_audit.model.finding import Finding, worst
from xtable_audit.subject.case import Case
from xtable_audit.subject.file_ranges import ranges_of_wrong

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
