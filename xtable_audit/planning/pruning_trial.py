"""*No file with a matching row is dropped*: a grid of predicates on every column, put to planners, against the values.

Pure: whoever calls brings the planners' answers (`xtable_audit.planning.planners`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow.compute as pc

from xtable_audit.model.columns import COMMITTED, HUDIS_OWN
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Compare, Predicate, columns_of
from xtable_audit.planning.grid import extremes, grid
from xtable_audit.planning.planners import JUDGE, Planner, judges, trap
from xtable_audit.scan.local import LocalScanner
from xtable_audit.scan.questions import live_files, matching_rows
from xtable_audit.scan.scanner import Scanner
from xtable_audit.subject.case import Case

EXTREMES = 40
"""Values of one column that are asked for one by one."""
READABLE, LONGEST = 60, 160
"""Characters of a predicate that a person takes in at a glance, and that are shown at all."""


@dataclass(frozen=True)
class Question:
    """A predicate on `column`, and how many rows of each live file match it by their values."""

    predicate: Predicate
    column: str
    matches: Mapping[str, int]

    @property
    def matching(self) -> frozenset[str]:
        return frozenset(path for path, rows in self.matches.items() if rows)

    @property
    def rows(self) -> int:
        return sum(self.matches.values())

    def __str__(self) -> str:
        """The predicate, cut where a literal is too long to be read."""
        words = str(self.predicate)
        return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


@dataclass(frozen=True)
class Loss:
    """A question some of whose rows are in files that a planner drops."""

    question: Question
    files: frozenset[str]
    """Dropped, and each with a matching row."""

    @property
    def rows(self) -> int:
        return sum(self.question.matches[path] for path in self.files)

    @property
    def found(self) -> int:
        """Matching rows in the files that are kept."""
        return self.question.rows - self.rows

    def __str__(self) -> str:
        actual = "1 row" if self.question.rows == 1 else f"{self.question.rows:,} rows"
        return f"WHERE {self.question}: {actual} by the values, {self.found:,} in the files that are kept"


@dataclass(frozen=True)
class Trial:
    """A table's whole grid put to one planner.

    `kept` is in the order of `questions`, None for what the planner cannot be asked. `metadata` are the losses of
    whoever trusts the metadata, `own` those of this planner over metadata that would have kept the file; `trapped`
    counts the losses that are known of it (`xtable_audit.planning.planners.TRAPS`), by the trap's words.
    """

    planner: str
    questions: Sequence[Question]
    kept: Sequence[frozenset[str] | None]
    metadata: tuple[Loss, ...]
    own: tuple[Loss, ...]
    trapped: Mapping[str, int]

    @property
    def asked(self) -> int:
        return sum(kept is not None for kept in self.kept)

    @property
    def losses(self) -> tuple[Loss, ...]:
        return self.metadata or self.own


def whole_grid(objects: Objects, case: Case, scanner: Scanner | None = None) -> tuple[Question, ...]:
    """A grid of predicates on each column of the table, counted in one reading of each data file that exists.

    Of Hudi's own columns only the commit time, which incremental queries ask for: the claims on bounds hold all of
    them, and nobody filters by the others.
    """
    columns = [leaf.path for leaf in case.stored.leaves if not leaf.path.startswith(HUDIS_OWN)]
    columns += [leaf.path for leaf in case.stored.leaves if leaf.path == COMMITTED]
    asked = [
        (column, predicate)
        for place, column in enumerate(columns)
        for predicate in dict.fromkeys((*grid(case, column, beside=columns[place - 1]), *_each_extreme(case, column)))
    ]
    read = pc.is_valid(case.actual.files["record_count"])
    files = live_files(objects, case.stored).only(case.actual.files["path"].filter(read).to_pylist())
    predicates = [predicate for _, predicate in asked]
    counted = matching_rows(scanner or LocalScanner(objects), files, case.stored, predicates)
    return tuple(
        Question(predicate, column, matches) for (column, predicate), matches in zip(asked, counted, strict=True)
    )


def _each_extreme(case: Case, column: str) -> Iterator[Predicate]:
    """`=` with the least and the greatest value of each file: what a bound that is too narrow by the least leaves out.

    Of many files some, spread over the whole range; the claims on bounds look at every one.
    """
    values = extremes(case, column)
    step = max(1, math.ceil(len(values) / EXTREMES))
    yield from (Compare(column, "=", value) for value in values[::step])


def try_planner(
    case: Case, questions: Sequence[Question], name: str, planner: Planner, judged: Trial | None = None
) -> Trial:
    """Put every question to the planner. Raises `planners.Refused` where it cannot plan the table.

    `judged` is the judge's own trial of the same questions, where it has been had.
    """
    predicates = [question.predicate for question in questions]
    metadata_location = case.stored.metadata_location
    kept = planner(metadata_location, predicates)
    trusting = kept if name == JUDGE else judged.kept if judged else judges(case.stored)(metadata_location, predicates)
    metadata, own, trapped = [], [], dict[str, int]()
    for question, mine, theirs in zip(questions, kept, trusting, strict=True):
        assert theirs is not None, "the judge knows every predicate"
        if mine is None or not question.matching - mine:
            continue
        loss = Loss(question, question.matching - mine)
        if loss.files - theirs:
            metadata.append(loss)
        elif known := trap(name, case.stored, question.predicate, losing=True):
            trapped[known.words] = trapped.get(known.words, 0) + 1
        else:
            own.append(loss)
    return Trial(name, questions, kept, tuple(metadata), tuple(own), trapped)


def columns_lost(losses: Sequence[Loss]) -> tuple[str, ...]:
    """The columns that lose rows, in the order of their names.

    A predicate on two columns loses rows by either: it tells nothing of the other where one of them loses rows alone.
    """
    named = [columns_of(loss.question.predicate) for loss in losses]
    alone = frozenset[str]().union(*(columns for columns in named if len(columns) == 1))
    beside = {loss.question.column for loss, columns in zip(losses, named, strict=True) if not columns & alone}
    return tuple(sorted(alone | beside))


def example(losses: Sequence[Loss]) -> Loss:
    """The one a person sees through soonest: short, on a column of the user's own, all its rows lost, an equality."""

    def cost(loss: Loss) -> tuple[bool, bool, float, bool, int]:
        predicate = loss.question.predicate
        equality = isinstance(predicate, Compare) and predicate.operator == "="
        written = len(str(predicate))
        meta = loss.question.column.startswith(HUDIS_OWN)
        return written > READABLE, meta, loss.found / loss.question.rows, not equality, written

    return min(losses, key=cost)
