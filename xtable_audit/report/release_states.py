"""What a finding does in each release of its component."""

from __future__ import annotations

from collections.abc import Sequence

from xtable_audit.model.finding import Verdict, worst
from xtable_audit.register.entry import Entry


def states(entry: Entry, releases: Sequence[str]) -> dict[str, Verdict | None]:
    """Release -> the worst verdict there, None where the finding is absent. Intermittent forms do not count.

    What only an upgrade in place shows counts if the entry is about such upgrades alone.
    """
    lasting = [where for where in entry.where if not where.at_times]
    plain = [where for where in lasting if where.upgrade_from is None] or lasting
    found = {release: [where.verdict for where in plain if where.covers(release)] for release in releases}
    return {release: worst(verdicts) if verdicts else None for release, verdicts in found.items()}


def newest_affected(entry: Entry, releases: Sequence[str]) -> tuple[str, Verdict] | None:
    """The newest release that has the finding, and its verdict there. `releases` are ordered, oldest first."""
    affected = [(release, verdict) for release, verdict in states(entry, releases).items() if verdict is not None]
    return affected[-1] if affected else None
