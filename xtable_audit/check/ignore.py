"""Leaves out of one table's findings what the user's ignore file names, and says what became of each entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

from xtable_audit.claims.deviation import Deviation, TableClaim
from xtable_audit.model.finding import Finding
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.own_table import Ignored, State, ignores
from xtable_audit.model.result import ClaimResult
from xtable_audit.register.ignore_file import IgnoreEntry, in_force

JUDGED = (Outcome.HELD, Outcome.FINDING, Outcome.KNOWN, Outcome.NOT_APPLICABLE)


@dataclass
class Ignores:
    """The entries for one table; `ended` no longer count."""

    entries: tuple[IgnoreEntry, ...] = ()
    ended: tuple[IgnoreEntry, ...] = ()
    _used: set[IgnoreEntry] = field(default_factory=set)

    @classmethod
    def of(cls, entries: Iterable[IgnoreEntry], *names: str, today: date | None = None) -> Ignores:
        """`names` are those of the table. `today` is that of UTC, unless it is given."""
        return cls(*in_force(entries, *names, today=today))

    def left(self, claim: TableClaim, deviations: list[Deviation]) -> list[Deviation]:
        """The deviations without those of ignored columns, if there are others: the finding is then of the others.

        Otherwise all of them: the finding is shown, and does not count.
        """
        by_column = {one.column: one for one in self.entries if one.claim == claim.id and one.column}
        others = [one for one in deviations if one.column not in by_column]
        if others and len(others) < len(deviations):
            self._used |= {by_column[one.column] for one in deviations if one.column in by_column}
        return others or deviations

    def excuse(self, finding: Finding) -> str:
        """Why the finding is ignored, in a clause; "" if it is not."""
        return ignores([_row(one, "matched") for one in self.entries], finding)

    def matching(self, finding: Finding) -> list[IgnoreEntry]:
        """The entries that name the finding, or a column that was left out of its claim."""
        return [one for one in self.entries if one in self._used or _matches(one, finding)]

    def rows(self, results: Sequence[ClaimResult], *, partly: bool) -> tuple[Ignored, ...]:
        """What became of each entry. `partly`: part of the table, or of the claims, was judged."""
        counting = [_row(one, self._state(one, results, partly)) for one in self.entries]
        return (*counting, *(_row(one, "ended") for one in self.ended))

    def _state(self, entry: IgnoreEntry, results: Sequence[ClaimResult], partly: bool) -> State:
        found = (result.finding for result in results if result.finding)
        if entry in self._used or any(_matches(entry, one) for one in found):
            return "matched"
        judged = not entry.claim or any(one.claim == entry.claim and one.outcome in JUDGED for one in results)
        return "unmatched" if judged and not partly else "not judged"


def _row(entry: IgnoreEntry, state: State) -> Ignored:
    return Ignored(entry.finding, entry.claim, entry.column, entry.reason, entry.until.isoformat(), state)


def _matches(entry: IgnoreEntry, finding: Finding) -> bool:
    if entry.finding:
        return entry.finding == finding.registered
    return entry.claim == finding.claim and (not entry.column or entry.column in finding.columns)
