"""What is said of a source table and one target of XTable's: its findings, and which of them count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from xtable_audit.affected.affected import Affected
from xtable_audit.affected.releases import XTableRelease
from xtable_audit.model.finding import Verdict
from xtable_audit.model.own_table import reaches
from xtable_audit.register.ignore_file import IgnoreEntry, in_force

# Which of a table's findings count: those that reach --fail-on, and that the user neither accepts nor ignores.


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
        entries, ended = in_force((one for one in ignored if one.finding), *names, today=today)
        reasons = {one.finding: f"ignored until {one.until}: {one.reason}" for one in entries}
        reasons |= dict.fromkeys(accepted, "accepted")
        counting = [one for one in found if one.id not in reasons]
        return cls(
            tuple(one for one in counting if reaches(one.verdict, fail_on)),
            tuple(one for one in counting if not reaches(one.verdict, fail_on)),
            tuple((one, reasons[one.id]) for one in found if one.id in reasons),
            ended,
        )


@dataclass(frozen=True)
class TargetAnswer:
    """Of what `release` writes as its target."""

    release: XTableRelease
    found: Sequence[Affected]
    weighed: Weighed
    refused: str
    """Why the release translates the table at no time, in a sentence; else empty."""

    @property
    def fails(self) -> bool:
        return bool(self.weighed.failing or self.refused)
