"""The gate's answer for each kind of source: Hudi COPY_ON_WRITE, Delta with deletion vectors, …"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from xtable_audit.model.figures import Count, few, many
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.report.compare import (
    HUDIS_INDEXES,
    MISLEADING,
    Change,
    Cost,
    Difference,
    of_differences,
    total,
)
from xtable_audit.report.document import Document
from xtable_audit.report.gate_rests import Rests

UNKNOWN = "tables of an unknown source"


class UpgradeAdvice(StrEnum):
    """The answer as advice to a user."""

    DO_NOT_UPGRADE = "do not upgrade"
    DROP_METADATA = "upgrade, and drop the Iceberg metadata first"
    UPGRADE_IN_PLACE = "upgrade in place"
    WAIT = "newly read, with wrong results: do not sync it yet"
    CANNOT_SAY = "cannot say"


@dataclass(frozen=True)
class Broken:
    """What one run breaks of one kind of source."""

    claims: int
    cost: Cost

    def __str__(self) -> str:
        return f"{self.claims:,}" + (f" ({many(self.cost.rows, 'row')})" if self.cost.rows else "")


@dataclass(frozen=True)
class SourceAnswer:
    """The advice for one kind of source, and what it rests on."""

    kind: str
    tables: int
    advice: UpgradeAdvice
    before: Broken
    after: Broken
    left_behind: Broken
    because: str
    """The findings that decide it, in words; "" where nothing is in the way."""
    unjudged: Count | None = 0
    """Claims that FROM judges and a later run does not, so that nothing is said of them. Null in an older gate."""


def answers(before: Document, after: Document, differences: Sequence[Difference], rests: Rests) -> list[SourceAnswer]:
    """One answer for each kind of source that XTable translates, those with most tables first."""
    kinds: dict[str, set[str]] = {}
    for table in dict.fromkeys(str(claim.table) for claim in (*before.claims, *after.claims)):
        kind = after.sources.get(table) or before.sources.get(table, UNKNOWN)
        if kind != HUDIS_INDEXES and SubjectId.parse(table).is_by_xtable:
            kinds.setdefault(kind, set()).add(table)
    made = [_answer(kind, tables, before, after, differences, rests) for kind, tables in kinds.items()]
    return sorted(made, key=lambda one: -one.tables)


def _answer(
    kind: str,
    tables: set[str],
    before: Document,
    after: Document,
    differences: Sequence[Difference],
    rests: Rests,
) -> SourceAnswer:
    here = [one for one in differences if one.table in tables]
    left = [one for one in here if one.change is Change.LEFT_BEHIND]
    advice, deciding = advise(here)
    if advice is UpgradeAdvice.UPGRADE_IN_PLACE and tables & {*rests.lost}:
        advice = UpgradeAdvice.CANNOT_SAY
    return SourceAnswer(
        kind,
        len(tables),
        advice,
        _broken(before, tables),
        _broken(after, tables),
        Broken(len(left), of_differences(left)),
        _named(deciding),
        sum(rests.no_longer.get(table, 0) for table in tables),
    )


def net(made: Sequence[SourceAnswer]) -> str:
    """`412 (120 rows) -> 361 (96 rows)`: what both releases break, over all kinds of source."""
    return " -> ".join(str(_sum([getattr(one, name) for one in made])) for name in ("before", "after"))


def _sum(parts: Sequence[Broken]) -> Broken:
    costs = [one.cost for one in parts]
    sums = (sum(getattr(cost, name) for cost in costs) for name in ("tables", "files", "rows"))
    return Broken(sum(one.claims for one in parts), Cost(*sums))


def advise(differences: Sequence[Difference]) -> tuple[UpgradeAdvice, list[Difference]]:
    """The advice for these differences, and those that decide it. A verdict never rests on zero rows."""
    wrong = [one for one in differences if one.misleads]
    if of_differences(wrong).rows:
        return UpgradeAdvice.DO_NOT_UPGRADE, wrong
    read = [one for one in differences if one.change is Change.NEWLY_READ]
    new = [one for one in read if one.after and one.after.verdict in MISLEADING]
    if of_differences(new).rows:
        return UpgradeAdvice.WAIT, new
    left = [one for one in differences if one.change is Change.LEFT_BEHIND and one.affects_readers]
    if left:
        return UpgradeAdvice.DROP_METADATA, left
    unknown = [one for one in differences if one.change is Change.COULD_NOT_RUN]
    return (UpgradeAdvice.CANNOT_SAY if unknown else UpgradeAdvice.UPGRADE_IN_PLACE), unknown


def _broken(document: Document, tables: set[str]) -> Broken:
    """By claims that fail of themselves, not because their table cannot be read."""
    failing = [one.finding for one in document.claims if one.finding and not one.follows and one.table in tables]
    return Broken(len(failing), total(failing))


FEW = 3
"""Maximum number of findings that an answer names."""


def _named(differences: Sequence[Difference]) -> str:
    """`XTF-004, XTF-060`, or the claims of findings that the register does not have."""
    findings = [one.registered or one.sentence.rstrip(".") for one in differences if one.finding]
    return few(list(dict.fromkeys(findings)), FEW)
