"""Draws histories one after the other until one fails, then shrinks it to the shortest that fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from spark_jobs.battery.moves import Move
from xtable_audit.model.finding import Finding

History = tuple[Move, ...]
Try = Callable[[History], Sequence[Finding]]
"""Writes, translates and judges a history; returns the findings."""


class _Fails(Exception):
    """A claim fails on a history."""


@dataclass
class Hunt:
    """The histories tried, in order, and the findings on each."""

    trial: Try
    drawn: int
    shrinks: int
    tried: dict[History, Sequence[Finding]] = field(default_factory=dict)

    @property
    def failing(self) -> History | None:
        """The shortest history that fails."""
        failing = [moves for moves, found in self.tried.items() if found]
        return min(failing, key=_length) if failing else None

    def on(self, histories: SearchStrategy[History]) -> None:
        """Draws at most `drawn` histories, always the same; shrinks the first that fails, in `shrinks` trials."""

        @settings(
            derandomize=True,
            database=None,
            max_examples=self.drawn,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        )
        @given(histories)
        def every_claim_holds(moves: History) -> None:
            if self._found(moves):
                raise _Fails

        try:
            every_claim_holds()
        except _Fails:
            return  # `failing` has it

    def _found(self, moves: History) -> Sequence[Finding]:
        """Each history is tried once. Beyond the budget, untried ones count as passing."""
        if moves in self.tried:
            return self.tried[moves]
        if self._spent():
            return ()
        self.tried[moves] = self.trial(moves)
        return self.tried[moves]

    def _spent(self) -> bool:
        first = next((place for place, found in enumerate(self.tried.values(), start=1) if found), None)
        return first is not None and len(self.tried) - first >= self.shrinks


def _length(moves: History) -> tuple[int, int, int]:
    return len(moves), sum(len(move.keys) for move in moves), sum(not move.seen for move in moves)
