"""Judges whether a table can be read at all. Other claims are judged only on a table that can."""

from __future__ import annotations

from dataclasses import replace

from xtable_audit.blame.ruling import Ruling
from xtable_audit.claims.readable import Opened, Unreadable, metadata_and_data_files_can_be_read
from xtable_audit.judge.judge import Finish, Judgement, Whose, judge
from xtable_audit.model.finding import Finding, Impact

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
