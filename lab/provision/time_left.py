"""What is left of a run, and about how long it takes, by what this run took so far."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import median

from xtable_audit.model.subject_id import SubjectId

EARLY = 10.0
"""Seconds in which too little is measured for an estimate."""
FEW = 0.02
"""The share of tests, or of tables, below which too little is measured."""
SHORT = 30.0
"""Seconds below which the line names no time."""
Made = Callable[[], tuple[int, int]]
"""How many tables are made, and how many the run announced."""


@dataclass
class Left:
    """The selected tests, and what those that ended took.

    The first test of a table waits until it is made, measured and judged; another takes what others of the same claim
    take. Another thread may read while tests end.
    """

    made: Made = lambda: (0, 0)
    clock: Callable[[], float] = time.monotonic
    _left: dict[str, int] = field(default_factory=dict)
    """Claim to the tests of it that have not ended."""
    _took: dict[str, tuple[int, float]] = field(default_factory=dict)
    """Claim to the tests of it that ended, and their seconds, without those that were the first of their table."""
    _waiting: set[str] = field(default_factory=set)
    """Tables of which no test has begun."""
    _tests: int = 0
    _tables: int = 0
    _first: dict[str, float] = field(default_factory=dict)
    """The first test of each table, and its seconds."""
    _since: float | None = None

    def select(self, tests: Iterable[str]) -> None:
        """The ids of the selected tests; the same again from a second worker changes nothing."""
        tests = list(tests)
        if self._tests or not tests:
            return
        self._tests, self._since = len(tests), self.clock()
        self._left = dict(Counter(map(_claim, tests)))
        self._took = dict.fromkeys(self._left, (0, 0.0))
        self._waiting = {_table(test) for test in tests}
        self._tables = len(self._waiting)

    def take(self, test: str, when: str, seconds: float) -> None:
        """A phase of a test ended."""
        claim, table = _claim(test), _table(test)
        if claim not in self._left:
            return
        if table in self._waiting:
            self._waiting.discard(table)
            self._first[test] = 0.0
        if test in self._first:
            self._first[test] += seconds
        else:
            number, took = self._took[claim]
            self._took[claim] = number + (when == "teardown"), took + seconds
        self._left[claim] -= when == "teardown"

    @property
    def _by_tables(self) -> float | None:
        """What the tables that are not made take: the run takes no less."""
        made, announced = self.made()
        return self._elapsed / made * (announced - made) if self._tells(made, announced) else None

    @property
    def _by_tests(self) -> float | None:
        """What the tests take that have not ended, in the measure of those that have."""
        if not self._tells(self._tests - sum(self._left.values()), self._tests):
            return None
        tests, took = (sum(column) for column in zip(*self._took.values(), strict=True))
        mean, waits = took / tests if tests else 0.0, list(self._first.values())
        to_come = median(waits) * len(self._waiting)  # the mean has what each process does before its first test
        to_come += sum(number * self._each(claim, mean) for claim, number in self._left.items())
        spent = sum(waits) + took
        return self._elapsed * to_come / spent if spent else None

    def _tells(self, ended: int, of: int) -> bool:
        """Whether an estimate can rest on these."""
        return self._elapsed >= EARLY and ended > of * FEW

    @property
    def _elapsed(self) -> float:
        return 0.0 if self._since is None else self.clock() - self._since

    def _each(self, claim: str, mean: float) -> float:
        number, took = self._took[claim]
        return took / number if number else mean

    def words(self) -> str:
        """`512 of 3,480 claims · 12 of 41 tables made · about 3 min left`; "" before the tests are known."""
        if not self._tests:
            return ""
        made, announced = self.made()
        tables = f"{made:,} of {announced:,} tables made" if made < announced else ""
        ended = self._tests - sum(self._left.values())
        return " · ".join(filter(None, [f"{ended:,} of {self._tests:,} claims", tables, self._estimate()]))

    def _estimate(self) -> str:
        by_tables, by_tests = self._by_tables or 0.0, self._by_tests
        if by_tests is None:
            return f"at least {_minutes(by_tables)} left" if by_tables >= SHORT else ""
        seconds = max(by_tables, by_tests)
        return f"about {_minutes(seconds)} left" if seconds >= SHORT else "soon done"


def _minutes(seconds: float) -> str:
    return f"{max(round(seconds / 60), 1)} min"


def _claim(test: str) -> str:
    return test.partition("[")[0]


def _table(test: str) -> str:
    """The test's dataset: its tables are made from one source; the claim if it has none."""
    claim, bracket, parameters = test.partition("[")
    return SubjectId.parse(parameters.removesuffix("]")).dataset if bracket else claim
