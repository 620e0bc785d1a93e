"""*No file with a matching row is dropped*: planners run a grid of predicates on every column, against actual values.

Pure: the caller supplies the planners (`xtable_audit.planning.planners`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.columns import COMMITTED, HUDIS_OWN
from xtable_audit.model.figures import many
from xtable_audit.model.objects import Objects
from xtable_audit.model.planner import JUDGE
from xtable_audit.model.predicate import Compare, Predicate, columns_of
from xtable_audit.planning.grid import ColumnLiterals, grid_of, literals
from xtable_audit.planning.planners import Planner, judges, trap
from xtable_audit.scan import LocalScanner, Scanner, live_files, matching_rows
from xtable_audit.subject.case import Case

MOST_FILES = 2000
"""Maximum number of data files in which matching rows are counted; of more, an even spread is read."""
MOST_PLANS = 400_000_000
"""Maximum number of pairs of a predicate and a live file, each of which takes a bit; of more predicates, an even spread
is tried."""
LEAST_PREDICATES = 100
"""Number of predicates that are tried however many files there are."""
READABLE, LONGEST = 60, 160
"""Lengths of a predicate in characters: readable at a glance, and the maximum that is printed."""


@dataclass(frozen=True)
class Question:
    """A predicate on `column`, and the number of matching rows by actual values, for each live file that is read."""

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
        return shown(self.predicate)


def shown(predicate: Predicate) -> str:
    """The predicate, cut to LONGEST characters."""
    words = str(predicate)
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


@dataclass(frozen=True)
class Loss:
    """A question for which a planner drops matching files."""

    question: Question
    files: frozenset[str]
    """The dropped matching files."""
    where: ClassVar[str] = "in the files that are kept"

    @property
    def rows(self) -> int:
        return sum(self.question.matches[path] for path in self.files)

    @property
    def found(self) -> int:
        """Matching rows in the files that are kept."""
        return self.question.rows - self.rows

    def __str__(self) -> str:
        actual = many(self.question.rows, "row")
        return f"WHERE {self.question}: {actual} by the values, {self.found:,} {self.where}"


@dataclass(frozen=True)
class Trial:
    """A table's whole grid, planned by one planner.

    `kept` is in the order of `questions`; None for a predicate that the planner cannot express. `metadata` are losses
    due to the metadata, `own` losses of this planner although the metadata keeps the file. `trapped` counts losses by
    known traps (`TargetFormat.planners`), by the trap's words.
    """

    planner: str
    questions: Sequence[Question]
    kept: Sequence[Set[str] | None]
    metadata: tuple[Loss, ...]
    own: tuple[Loss, ...]
    trapped: Mapping[str, int]

    @property
    def plannable(self) -> int:
        return sum(kept is not None for kept in self.kept)

    @property
    def losses(self) -> tuple[Loss, ...]:
        return self.metadata or self.own

    @property
    def files_read(self) -> int:
        """The number of data files in which matching rows are counted."""
        return len(self.questions[0].matches) if self.questions else 0


def whole_grid(objects: Objects, case: Case, scanner: Scanner | None = None) -> tuple[Question, ...]:
    """A grid of predicates on each column, counted in one read of each existing data file.

    Of Hudi's metadata columns it includes only the commit time, which incremental queries filter by. The claims on
    bounds cover the others. Empty for a table without files: there is none to drop. Of a large table, MOST_FILES are
    read, and as many predicates tried as MOST_PLANS allows.
    """
    if not case.stored.files.num_rows:
        return ()
    columns = [leaf.path for leaf in case.stored.leaves if not leaf.path.startswith(HUDIS_OWN)]
    columns += [leaf.path for leaf in case.stored.leaves if leaf.path == COMMITTED]
    known = {column: literals(case, column) for column in columns}
    pairs = [
        (column, predicate)
        for column, beside in zip(columns, [*columns[-1:], *columns], strict=False)
        for predicate in _of_column(case, column, beside, known)
    ]
    pairs = [pairs[place] for place in _even(len(pairs), max(LEAST_PREDICATES, MOST_PLANS // len(case.stored.files)))]
    read = pc.is_valid(case.actual.files["record_count"])
    files = live_files(objects, case.stored).only(case.actual.files["path"].filter(read).to_pylist())
    files = replace(files, table=files.table.take(pa.array(_even(len(files), MOST_FILES), pa.int64())))
    predicates = [predicate for _, predicate in pairs]
    counted = matching_rows(scanner or LocalScanner(objects), files, case.stored, predicates)
    return tuple(
        Question(predicate, column, matches) for (column, predicate), matches in zip(pairs, counted, strict=True)
    )


def _even(number: int, most: int) -> list[int]:
    """All places, or `most` of them from the first to the last."""
    if number <= most:
        return list(range(number))
    return [int(place) for place in np.linspace(0, number - 1, most)]


def _of_column(
    case: Case, column: str, beside: str, known: Mapping[str, ColumnLiterals | None]
) -> dict[Predicate, None]:
    """The grid, and `=` with the min and max of each file or a spread of them: the first values that a bound too narrow
    excludes. The claims on bounds check every file.
    """
    own = known[column]
    each = (Compare(column, "=", value) for value in (own.spread if own is not None else ()))
    return dict.fromkeys((*grid_of(case, column, own, beside, known[beside]), *each))


def try_planner(
    case: Case, questions: Sequence[Question], name: str, planner: Planner, judged: Trial | None = None
) -> Trial:
    """Runs every question through the planner. Raises `model.refused.Refused` if it cannot plan the table.

    `judged` is the judge's trial of the same questions, if already run.
    """
    predicates = [question.predicate for question in questions]
    metadata_location = case.stored.metadata_location
    kept = planner(metadata_location, predicates)
    trusting = kept if name == JUDGE else judged.kept if judged else judges(case.stored)(metadata_location, predicates)
    metadata, own, trapped = [], [], dict[str, int]()
    for question, mine, theirs in zip(questions, kept, trusting, strict=True):
        assert theirs is not None, "the judge plans every predicate"
        lost = frozenset[str]() if mine is None else question.matching - mine
        if not lost:
            continue
        loss = Loss(question, lost)
        if loss.files - theirs:
            metadata.append(loss)
        elif known := trap(name, case.stored, question.predicate, losing=True):
            trapped[known.words] = trapped.get(known.words, 0) + 1
        else:
            own.append(loss)
    return Trial(name, questions, kept, tuple(metadata), tuple(own), trapped)


def columns_lost(losses: Sequence[Loss]) -> tuple[str, ...]:
    """The columns that lose rows, sorted by name.

    A predicate on two columns may lose rows by either. If one of them loses rows alone, the other is not blamed.
    """
    named = [columns_of(loss.question.predicate) for loss in losses]
    alone = frozenset[str]().union(*(columns for columns in named if len(columns) == 1))
    beside = {loss.question.column for loss, columns in zip(losses, named, strict=True) if not columns & alone}
    return tuple(sorted(alone | beside))


def example(losses: Sequence[Loss]) -> Loss:
    """The clearest loss: short, on a user's column, with all its rows lost, preferably an equality."""

    def cost(loss: Loss) -> tuple[bool, bool, float, bool, int]:
        predicate = loss.question.predicate
        equality = isinstance(predicate, Compare) and predicate.operator == "="
        written = len(str(predicate))
        meta = loss.question.column.startswith(HUDIS_OWN)
        return written > READABLE, meta, loss.found / loss.question.rows, not equality, written

    return min(losses, key=cost)
