"""What a finding does in each release of a component, by the register."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xtable_audit.model.finding import SEVERITY, Verdict, worst
from xtable_audit.model.result import Owner, owner
from xtable_audit.register.affects import FIRST_RECORDED, KERNEL
from xtable_audit.register.entry import Entry, base_version
from xtable_audit.register.register import Covered
from xtable_audit.report.document import KnownRelease, MainBranch, Registered

MAIN = "main"


def states(entry: Entry, component: str, releases: Sequence[str]) -> dict[str, Verdict | None]:
    """Release of `component` -> the worst verdict there, None where it is absent. Intermittent forms do not count.

    What only an upgrade in place shows counts if the entry is about such upgrades alone. Releases are left out with
    which it was not tried, though they read such sources and write such targets.
    """
    lasting = [where for where in entry.where if where.component == component and not where.at_times]
    plain = [where for where in lasting if where.upgrade_from is None] or lasting
    found = {
        release: [where.verdict for where in plain if where.covers(release)]
        for release in releases
        if entry.is_tried(release)
    }
    known = {release: verdicts for release, verdicts in found.items() if verdicts or _is_recorded(entry, release)}
    return {release: worst(verdicts) if verdicts else None for release, verdicts in known.items()}


def _is_recorded(entry: Entry, release: str) -> bool:
    """Whether the sources that lead to it were translated by the release, or what has it is not in the release."""
    first = {FIRST_RECORDED.get(one.format) for one in entry.affects if one.writer != KERNEL}
    return not first or None in first or base_version(release) >= max(filter(None, first))


def newest_affected(entry: Entry, component: str, releases: Sequence[str]) -> tuple[str, Verdict] | None:
    """The newest release of `component` that has the finding, and its verdict there. `releases`: oldest first."""
    verdicts = states(entry, component, releases)
    affected = [(release, verdict) for release, verdict in verdicts.items() if verdict is not None]
    return affected[-1] if affected else None


def with_main(entry: Entry, releases: Sequence[str]) -> dict[str, Verdict | None]:
    """`states` of the component that the entry names first, and of its main branch if the entry speaks of it.

    Without the releases of which it is not known. Main does what the newest release does. `releases`: oldest first.
    """
    component = entry.components[0]
    found = states(entry, component, releases)
    at_times = {
        release
        for release, verdict in found.items()
        if verdict is None and any(one.component == component and one.covers(release) for one in entry.where)
    }
    main = entry.main_of(component)
    if main and releases:
        newest = releases[-1]
        if main.has_it is False:
            found[MAIN] = None
        elif newest not in at_times and (main.has_it or found[newest] is None):
            found[MAIN] = found[newest]
    return {release: verdict for release, verdict in found.items() if release not in at_times}


def registered(entries: Iterable[Entry], covered: Mapping[str, Sequence[Covered]]) -> dict[str, Registered]:
    """The entries as a document holds them, by id."""
    return {
        entry.id: Registered(
            title=entry.title,
            component=entry.components[0],
            common=entry.common.value,
            cause=entry.cause,
            remedy=entry.remedy,
            recovers=entry.recovers,
            owner=owner_of(entry),
            states=with_main(entry, [one.version for one in covered.get(entry.components[0], ())]),
            ran_on_main=(main := entry.main_of(entry.components[0])) is not None and main.ran is not None,
        )
        for entry in entries
    }


def known_releases(covered: Mapping[str, Sequence[Covered]]) -> dict[str, tuple[KnownRelease, ...]]:
    return {name: tuple(KnownRelease(one.version, one.day.isoformat()) for one in of) for name, of in covered.items()}


def main_branch(entries: Iterable[Entry], component: str = "xtable") -> MainBranch | None:
    """The register speaks of one commit of the component's main, whichever entry is asked."""
    read = next((main for entry in entries if (main := entry.main_of(component))), None)
    return MainBranch(read.commit, read.read.isoformat()) if read else None


def owner_of(entry: Entry) -> Owner:
    """That of the gravest thing that the entry says of the component that it is mostly about."""
    component = entry.components[0]
    lasting = [one for one in entry.where if one.component == component and not one.at_times] or list(entry.where)
    return owner(min(lasting, key=lambda one: SEVERITY.index(one.verdict)).blame)
