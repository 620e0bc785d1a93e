"""Answers that a reader gives by metadata: against the values, and against what it answers without its shortcut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from xtable_audit.claims.needs import EVERY_FILE_READ
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import show
from xtable_audit.planning.aggregate_answers import Selections, misleading, same, stored_answer
from xtable_audit.subject.case import Case
from xtable_audit.table.stored_metrics import StoredMetrics

SQL = "ISO/IEC 9075-2, aggregate functions: count(*) is the number of rows, min and max are of the values"
BY_VALUES = "by the values"


class Answered(Protocol):
    """An answer, or why there is none, such as `xtable_audit.readers.observe.AggregateObserved`."""

    @property
    def value(self) -> Any: ...
    @property
    def read(self) -> frozenset[str] | None: ...
    @property
    def error(self) -> str | None: ...
    @property
    def version(self) -> str: ...


@dataclass(frozen=True)
class AggregateAnswer:
    """One aggregate, as a reader answers it."""

    asked: Aggregate
    by_default: Answered
    unaided: Answered
    """Without its shortcut; the error is "" for a reader that has no switch."""
    true: tuple[Any, ...]
    """What the values give; any of these is right, and none are there if it is not known."""

    @property
    def is_of_metadata_alone(self) -> bool:
        """Whether it is asked for since the reader may answer it without a file; else it chooses files by metadata."""
        return self.asked.form == "aggregate"

    @property
    def from_metadata(self) -> bool:
        return self.is_of_metadata_alone and self.by_default.error is None and self.by_default.read == frozenset()

    @property
    def of_chosen_files(self) -> bool:
        return not self.is_of_metadata_alone and self.by_default.error is None

    @property
    def compared(self) -> bool:
        return self.by_default.error is None and self.unaided.error is None

    def is_of_the_values(self, answered: Answered) -> bool:
        """Whether that answer is right, or nobody knows."""
        return not self.true or any(same(answered.value, true) for true in self.true)


@dataclass(frozen=True)
class Answering:
    """One reader's answers about one table."""

    reader: str
    case: Case
    answers: tuple[AggregateAnswer, ...]
    matching: Selections
    """The rows that match the predicates of what is asked."""

    @property
    def stored(self) -> StoredMetrics:
        return self.case.stored

    @property
    def refused(self) -> str:
        """What it says where it refuses each question; "" where it answers one."""
        errors = [one.by_default.error for one in self.answers]
        return f"{self.reader} refuses: {errors[0]}" if errors and all(errors) else ""


@dataclass(frozen=True)
class Misanswered:
    """An aggregate of which a claim does not hold."""

    answer: AggregateAnswer
    saw: str
    expected: str
    places: tuple[int, ...]
    """The files (rows of the stored metrics) whose metadata leads to it."""
    of_metadata: bool
    """Whether the metadata gives it, or excludes rows that match."""


ANSWERED = Need[Answering](
    "an answer of the reader", lambda answering: not answering.refused, why=lambda answering: answering.refused
)
WATCHED = Need[Answering](
    "a request log that says which files the reader reads (see --s3 and --trino)",
    lambda answering: all(one.by_default.read is not None for one in answering.answers),
    of_run=True,
)
FROM_METADATA = Need[Answering](
    "an answer for which the reader fetches nothing of a data file",
    lambda answering: sum(one.from_metadata and bool(one.true) for one in answering.answers),
)
CHOSEN = Need[Answering](
    "a join, a function of a column or a LIMIT that the reader answers, and its rows by the values",
    lambda answering: sum(one.of_chosen_files and bool(one.true) for one in answering.answers),
)
UNAIDED = Need[Answering](
    "an answer of the reader without its shortcut",
    lambda answering: sum(one.unaided.error is None and bool(one.true) for one in answering.answers),
)
COMPARED = Need[Answering](
    "an answer with the reader's shortcut, and one without",
    lambda answering: sum(one.compared for one in answering.answers),
)


@claim(
    "what a reader answers from metadata alone is what the values give",
    needs=(ANSWERED, WATCHED, EVERY_FILE_READ, FROM_METADATA),
    spec=SQL,
    breaks=Verdict.UNSOUND,
)
def answers_from_metadata_are_of_the_values(answering: Answering) -> Iterator[Misanswered]:
    for one in answering.answers:
        if one.from_metadata and not one.is_of_the_values(one.by_default):
            yield _misanswered(answering, one, one.by_default, one.true[0], BY_VALUES)


@claim(
    "a join, a function of a column and a LIMIT have every row that the values give",
    needs=(ANSWERED, EVERY_FILE_READ, CHOSEN),
    spec="ISO/IEC 9075-2, joined table, search condition and fetch first clause: of the rows of the table",
    breaks=Verdict.UNSOUND,
)
def joins_functions_and_limits_have_every_row(answering: Answering) -> Iterator[Misanswered]:
    """Of questions for which the reader chooses by metadata which files it reads."""
    for one in answering.answers:
        if one.of_chosen_files and not one.is_of_the_values(one.by_default):
            yield _misanswered(answering, one, one.by_default, one.true[0], BY_VALUES)


@claim(
    "a reader's shortcut changes no answer",
    needs=(ANSWERED, COMPARED),
    spec=f"{SQL}, whatever they are computed from",
    breaks=Verdict.UNSOUND,
)
def shortcuts_change_no_answer(answering: Answering) -> Iterator[Misanswered]:
    for one in answering.answers:
        if one.compared and not same(one.by_default.value, one.unaided.value):
            yield _misanswered(answering, one, one.by_default, one.unaided.value, "with the shortcut off")


@claim(
    "without its shortcut a reader answers what the values give",
    needs=(ANSWERED, EVERY_FILE_READ, UNAIDED),
    spec=SQL,
    breaks=Verdict.UNSOUND,
)
def answers_without_shortcuts_are_of_the_values(answering: Answering) -> Iterator[Misanswered]:
    """That the setting which turns a shortcut off is a remedy."""
    for one in answering.answers:
        if one.unaided.error is None and not one.is_of_the_values(one.unaided):
            yield _misanswered(answering, one, one.unaided, one.true[0], BY_VALUES)


def _misanswered(answering: Answering, one: AggregateAnswer, said: Answered, right: Any, how: str) -> Misanswered:
    case, asked = answering.case, one.asked
    places = misleading(case, asked, answering.matching)
    return Misanswered(
        answer=one,
        saw=f"{show(said.value)} for {asked}",
        expected=f"{show(right)} {how}",
        places=places,
        of_metadata=bool(places) if one.of_chosen_files else same(said.value, stored_answer(case, asked)),
    )
