"""What a finding does in each release of a component."""

from __future__ import annotations

from collections.abc import Sequence

from xtable_audit.model.finding import Verdict, worst
from xtable_audit.register.entry import Entry


def states(entry: Entry, component: str, releases: Sequence[str]) -> dict[str, Verdict | None]:
    """Release of `component` -> the worst verdict there, None where it is absent. Intermittent forms do not count.

    What only an upgrade in place shows counts if the entry is about such upgrades alone.
    """
    lasting = [where for where in entry.where if where.component == component and not where.at_times]
    plain = [where for where in lasting if where.upgrade_from is None] or lasting
    found = {release: [where.verdict for where in plain if where.covers(release)] for release in releases}
    return {release: worst(verdicts) if verdicts else None for release, verdicts in found.items()}


def newest_affected(entry: Entry, component: str, releases: Sequence[str]) -> tuple[str, Verdict] | None:
    """The newest release of `component` that has the finding, and its verdict there. `releases`: oldest first."""
    verdicts = states(entry, component, releases)
    affected = [(release, verdict) for release, verdict in verdicts.items() if verdict is not None]
    return affected[-1] if affected else None
