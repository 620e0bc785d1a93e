"""Which of a table's findings count: those that reach --fail-on, and that the user neither accepts nor ignores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from xtable_audit.affected.affected import Affected
from xtable_audit.model.finding import Verdict
from xtable_audit.register.ignore_file import IgnoreEntry
from xtable_audit.report.own_table import reaches


@dataclass(frozen=True)
class Weighed:
    """Each finding in one of these."""

    failing: tuple[Affected, ...]
    advice: tuple[Affected, ...]
    excused: tuple[tuple[Affected, str], ...]
    """With the reason, in a clause."""
    ended: tuple[IgnoreEntry, ...]
    """Entries of the ignore file that no longer count."""

    @classmethod
    def of(
        cls,
        found: Sequence[Affected],
        fail_on: Verdict,
        accepted: Sequence[str],
        ignored: Sequence[IgnoreEntry],
        names: Sequence[str],
        today: date | None = None,
    ) -> Weighed:
        """`names` are those of the table; `today` is that of UTC, unless it is given."""
        now = today or datetime.now(UTC).date()
        mine = [one for one in ignored if one.finding and one.is_of(*names)]
        reasons = {one.finding: f"ignored until {one.until}: {one.reason}" for one in mine if one.until >= now}
        reasons |= dict.fromkeys(accepted, "accepted")
        counting = [one for one in found if one.id not in reasons]
        return cls(
            tuple(one for one in counting if reaches(one.verdict, fail_on)),
            tuple(one for one in counting if not reaches(one.verdict, fail_on)),
            tuple((one, reasons[one.id]) for one in found if one.id in reasons),
            tuple(one for one in mine if one.until < now),
        )
