"""Which known findings a source table meets or may meet under a release of XTable. No translation is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from xtable_audit.affected.meets_block import NOT, Match, match
from xtable_audit.affected.releases import FIRST_TO_READ, XTableRelease, reads
from xtable_audit.formats.source import FactAnswer, Lacking, SourceTable
from xtable_audit.model.finding import SEVERITY, Verdict
from xtable_audit.register.affects import Affects
from xtable_audit.register.entry import NONE_KNOWN, Entry


class Certainty(StrEnum):
    MEETS = "meets"
    """Facts decide it."""
    MAY_MEET = "may meet"
    """It depends on what no metadata shows, or on what was not read."""


@dataclass(frozen=True)
class Affected:
    """A known finding that the table meets or may meet."""

    id: str
    title: str
    certainty: Certainty
    verdict: Verdict
    """The worst that the finding does in that release, on any table."""
    because: tuple[str, ...]
    """The settings, columns and files that lead there."""
    lacks: Lacking | None
    """Set if facts are open for want of this alone."""
    unseen: str
    """What must be so besides, and no metadata shows; else empty."""
    remedy: str
    """Empty where no remedy was tried."""
    proven_by: tuple[str, ...]
    """Tables of the suite on which the remedy was tried."""
    upgrade: str
    """A later release that does not have it on this table; else empty."""
    writer: str = ""
    """What of XTable alone has it; empty if it is so whatever writes the target."""

    @property
    def more(self) -> str:
        """The command that tells all of it."""
        return f"xtable-audit known {self.id}"


def affected(
    source: SourceTable,
    release: XTableRelease,
    entries: Sequence[Entry],
    *,
    since: XTableRelease | None = None,
    later: Sequence[XTableRelease] = (),
) -> list[Affected]:
    """The worst first, those that the table meets before those that it may meet; none if the table is refused.

    They are of what the release writes as its target.
    `since` is the release that began the table's Iceberg metadata, where another one goes on with it. `later` are
    releases that an upgrade could be to, oldest first.
    """
    if refusal(source, release):
        return []
    found = _matches(source, release, entries, since)
    mended_by = {
        id: next((one.name for one in later if id not in _matches(source, one, entries, since)), "") for id in found
    }
    named = [
        Affected(
            id=entry.id,
            title=entry.title,
            certainty=Certainty.MEETS if found[entry.id].answer == FactAnswer.YES else Certainty.MAY_MEET,
            verdict=release.worst(entry, since),
            because=found[entry.id].because,
            lacks=found[entry.id].lacks,
            unseen=found[entry.id].unseen,
            remedy="" if entry.remedy == NONE_KNOWN else entry.remedy,
            proven_by=entry.proven_by,
            upgrade=mended_by[entry.id],
            writer=found[entry.id].writer,
        )
        for entry in entries
        if entry.id in found
    ]
    return sorted(named, key=lambda one: (one.certainty is Certainty.MAY_MEET, SEVERITY.index(one.verdict), one.id))


def refusal(source: SourceTable, release: XTableRelease) -> str:
    """Why that release translates the table at no time, in a sentence; else empty."""
    if not reads(release, source.format):
        return (
            f"XTable {release.name} has no source of the format {source.format}; {FIRST_TO_READ[source.format]}.0 is "
            "the first release that has."
        )
    return "" if release.is_main else source.refused


def _matches(
    source: SourceTable, release: XTableRelease, entries: Sequence[Entry], since: XTableRelease | None = None
) -> dict[str, Match]:
    """Id to the clearest match of each entry that holds."""
    found = {}
    for entry in entries:
        has = release.has(entry, since)
        if has == FactAnswer.NO:
            continue
        held = [_match(block, source, release, entries, since) for block in entry.affects]
        best = max(held, key=lambda one: one.answer, default=NOT)
        if best.answer != FactAnswer.NO:
            found[entry.id] = replace(best, answer=min(best.answer, has))
    return _behind_failing_syncs(found, release, entries, since)


def _behind_failing_syncs(
    found: dict[str, Match], release: XTableRelease, entries: Sequence[Entry], since: XTableRelease | None
) -> dict[str, Match]:
    """Where a finding that the table meets fails the sync, the others show once syncs come through.

    What fails the syncs of one writer alone leaves those of the other as they are.
    """
    failing = {
        entry.id: found[entry.id].writer
        for entry in entries
        if entry.id in found and found[entry.id].answer == FactAnswer.YES and release.fails_every_sync(entry, since)
    }
    return {id: one if id in failing else _behind(one, failing) for id, one in found.items()}


def _behind(one: Match, failing: Mapping[str, str]) -> Match:
    """`failing` are the ids of what fails every sync, and the writer whose syncs these are; "" for each writer's."""
    first = next((id for id, writer in failing.items() if writer in ("", one.writer)), None)
    if first is None:
        return one
    once = f"syncs come through, which {first} prevents"
    return replace(
        one,
        answer=FactAnswer.OPEN,
        lacks=None if one.lacks is Lacking.FOOTERS else one.lacks,
        unseen=f"{one.unseen}, and {once}" if one.unseen else once,
    )


def _match(
    block: Affects, source: SourceTable, release: XTableRelease, entries: Sequence[Entry], since: XTableRelease | None
) -> Match:
    if not release.is_meant(block):
        return NOT
    if block.mended or block.since is not None:
        if since is None or since.version >= release.version or not since.within(block.since):
            return NOT
        return _mended(block, source, release, entries, since) if block.mended else _begun(match(block, source), since)
    return match(block, source)


def _begun(found: Match, since: XTableRelease) -> Match:
    return replace(found, because=(f"{since.name} began the Iceberg metadata", *found.because))


def _mended(
    block: Affects, source: SourceTable, release: XTableRelease, entries: Sequence[Entry], since: XTableRelease
) -> Match:
    """Is open if a named entry held for the release that began the metadata, in a way that this one no more has.

    No metadata of the source says which of its files were synced before the upgrade.
    """
    if block.format != source.format:
        return NOT
    before = _ways(source, since, entries, block.mended)
    now = _ways(source, release, entries, block.mended)
    gone = dict.fromkeys(id for id, way in before if (id, way) not in now)
    if not gone:
        return NOT
    because = f"{since.name} began the Iceberg metadata, with {', '.join(gone)}"
    return Match(FactAnswer.OPEN, (because,), unseen="which files were synced before the upgrade")


def _ways(
    source: SourceTable, release: XTableRelease, entries: Sequence[Entry], ids: Sequence[str]
) -> dict[tuple[str, int], FactAnswer]:
    """Entry and place of each block that holds."""
    return {
        (entry.id, place): found.answer
        for entry in entries
        if entry.id in ids and release.has(entry) == FactAnswer.YES
        for place, block in enumerate(entry.affects)
        if release.is_meant(block) and (found := match(block, source)).answer != FactAnswer.NO
    }
