"""What the gate's answer rests on: the claims that were judged in each run, and those that were not, by the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xtable_audit.model.figures import Count, many
from xtable_audit.model.fingerprint import GAP, steady
from xtable_audit.model.result import ClaimResult
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.report.compare import HUDIS_INDEXES
from xtable_audit.report.document import Document
from xtable_audit.report.states import JUDGED, ClaimState, ClaimStates, How

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
