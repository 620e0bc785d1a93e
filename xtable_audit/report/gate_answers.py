"""The gate's answer for each kind of source, and what it rests on: claims judged, and not judged, by the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from xtable_audit.model.figures import Count, few, many
from xtable_audit.model.fingerprint import GAP, steady
from xtable_audit.model.result import ClaimResult
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.report.claim_states import JUDGED, ClaimState, ClaimStates, How
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

# What the gate's answer rests on: the claims that were judged in each run, and those that were not, by the reason.

COULD_NOT_RUN, NOTHING, NO_TABLE = "could not run", "nothing to compare", "no table to read"
WHAT = {How.UNKNOWN: COULD_NOT_RUN, How.NOTHING: NOTHING, How.REFUSED: NO_TABLE}


@dataclass(frozen=True)
class Unjudged:
    """Claims on tables that were not judged for one reason. If it is that they have nothing to compare, they are only
    those that FROM judges.
    """

    runs: tuple[str, ...]
    """`from`, `to`, `in place`."""
    what: str
    """`could not run`, `nothing to compare` or `no table to read`."""
    why: str
    """Without the table's name and what changes between runs."""
    number: Count
    """A claim on a table counts once."""
    before: Count
    """How many of them FROM judges."""
    claims: tuple[str, ...]
    """Their ids."""
    tables: tuple[str, ...]

    def __str__(self) -> str:
        return f"{many(self.number, 'claim')} of {many(len(self.tables), 'table')} ({', '.join(self.runs)}): {self.why}"


@dataclass(frozen=True)
class Rests:
    """What an answer rests on. Hudi's own indexes are no part of it."""

    judged: Count
    """Claims on tables that compared something in each run that there is."""
    tables: Count
    """Tables that have one of them."""
    nothing: Count
    """Claims on tables that compare nothing in FROM nor in TO."""
    readers: dict[str, Count]
    """The readers that were asked -> how many of the judged claims are theirs."""
    not_asked: tuple[str, ...]
    """Readers that a gate asks by itself and that could not start, each with the reason, as a sentence."""
    unjudged: tuple[Unjudged, ...]
    """Those with most claims first."""
    no_longer: dict[str, Count]
    """Table -> how many of its claims FROM judges, and TO or the upgrade in place does not."""
    lost: dict[str, str]
    """Tables on which FROM judges claims, and TO or the upgrade in place none -> the run."""

    @property
    def sentence(self) -> str:
        """`7,310 claims on 231 tables that each run judges, 148 of them by readers (…)`."""
        by = ", ".join(f"{name} {number:,}" for name, number in self.readers.items())
        readers = f"{sum(self.readers.values()):,} of them by readers: {by}" if self.readers else "no reader was asked"
        return f"{many(self.judged, 'claim')} on {many(self.tables, 'table')} that each run judges, {readers}."


def rests_on(before: Document, after: Document, in_place: Document | None, not_asked: Sequence[str] = ()) -> Rests:
    documents = {"from": before, "to": after} | ({"in place": in_place} if in_place else {})
    runs = [ClaimStates(name, document) for name, document in documents.items()]
    claims = {test: claim for run in reversed(runs) for test, claim in run.claims.items()}
    own = {test: one for test, one in claims.items() if after.sources.get(one.table or "") != HUDIS_INDEXES}
    states = {test: {run.name: run.state(test) for run in runs} for test in own}
    judged = [own[test] for test, by in states.items() if all(one.how in JUDGED for one in by.values())]
    asked = Counter(one.reader for one in judged if one.reader)
    silent = dict.fromkeys((one.reader for one in own.values() if one.reader), 0)
    return Rests(
        judged=len(judged),
        tables=len({one.table for one in judged}),
        nothing=sum(by["from"].how is by["to"].how is How.NOTHING for by in states.values()),
        readers=dict(sorted((silent | asked).items())),
        not_asked=tuple(not_asked),
        unjudged=tuple(_unjudged(own, states)),
        no_longer=_no_longer(own, states),
        lost=dict(_lost(own, states)),
    )


States = Mapping[str, Mapping[str, ClaimState]]
"""By test, then by run."""


def _unjudged(claims: Mapping[str, ClaimResult], states: States) -> Iterator[Unjudged]:
    alike: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for test, by in states.items():
        for run, state in by.items():
            if _counts(by["from"], run, state):
                alike.setdefault((WHAT[state.how], _folded(state, run, claims[test])), []).append((run, test))
    for (what, why), found in sorted(alike.items(), key=lambda item: -len(item[1])):
        tests = dict.fromkeys(test for _, test in found)
        yield Unjudged(
            runs=tuple(dict.fromkeys(run for run, _ in found)),
            what=what,
            why=why,
            number=len(tests),
            before=sum(states[test]["from"].how in JUDGED for test in tests),
            claims=_once(claims[test].claim for test in tests),
            tables=_once(str(claims[test].table) for test in tests),
        )


def _counts(before: ClaimState, run: str, state: ClaimState) -> bool:
    """Whether the claim was not judged in the run, and is to be named for it. What compares nothing in FROM either is
    counted alone: most claims have nothing to compare on most tables.
    """
    if state.how is How.NOTHING:
        return run != "from" and before.how in JUDGED
    return state.how not in JUDGED


def _folded(state: ClaimState, run: str, claim: ClaimResult) -> str:
    """The reason, the same for each table, file and instant."""
    dataset = SubjectId.parse(claim.table or GAP).dataset
    return steady(state.why.removeprefix(f"{run}: ").replace(dataset, GAP)).replace(GAP, "…")


def _lost(claims: Mapping[str, ClaimResult], states: States) -> Iterator[tuple[str, str]]:
    judged: dict[str, Counter[str]] = {}
    for test, by in states.items():
        for run, state in by.items():
            judged.setdefault(str(claims[test].table), Counter())[run] += state.how in JUDGED
    for table, numbers in judged.items():
        blind = [run for run, number in numbers.items() if not number]
        if numbers["from"] and blind:
            yield table, blind[0]


def _no_longer(claims: Mapping[str, ClaimResult], states: States) -> dict[str, int]:
    lost = (
        str(claims[test].table)
        for test, by in states.items()
        if by["from"].how in JUDGED and any(one.how not in JUDGED for one in by.values())
    )
    return dict(sorted(Counter(lost).items()))


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


# The gate's answer for each kind of source: Hudi COPY_ON_WRITE, Delta with deletion vectors, …

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
