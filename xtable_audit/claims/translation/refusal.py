"""Tables that a release cannot read: each sync must report it and leave the metadata unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xtable_audit.model.claim import Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.model.sync import Sync


@dataclass(frozen=True)
class Offence:
    saw: str
    expected: str
    verdict: Verdict


@dataclass(frozen=True)
class RefusedTable:
    """A table that the release cannot read, and the attempted syncs."""

    syncs: Sequence[Sync]
    stages: Sequence[str]
    """Each state of the source, in words."""
    since: int
    """The first state, counted from 1, from which every sync must be refused."""
    words: str
    """Part of the release's message for a table that it cannot read: all that tells this refusal from a failure."""
    remains: Sequence[str]
    """Objects in the metadata folder of a table without a successful sync."""


TO_BE_REFUSED = Need[RefusedTable](
    "a sync that is to be refused", lambda refused: sum(sync.stage + 1 >= refused.since for sync in refused.syncs)
)


@claim(
    "a table version that the release cannot read is refused, and nothing is left behind",
    needs=TO_BE_REFUSED,
    spec="a sync that does not do its work says so, and leaves what was there before",
    breaks=Verdict.FAILED_SILENTLY,
)
def a_version_that_cannot_be_read_is_refused(refused: RefusedTable) -> Iterator[Offence]:
    yield from offences(refused.syncs, refused.stages, refused.since, refused.words)
    yield from remains(refused.remains)


def offences(syncs: Sequence[Sync], stages: Sequence[str], since: int, words: str) -> Iterator[Offence]:
    """Refusals that are missing, have the wrong message or change the metadata, and failures of readable versions.

    The arguments are as in `RefusedTable`.
    """
    before = ""
    for sync in syncs:
        when = f"after {stages[sync.stage]} ({sync.kind} sync)"
        if sync.stage + 1 >= since:
            yield from _unsaid(sync, when, words)
            yield from _left(sync, when, before)
        elif sync.failure is not None:
            saw = f"{sync.failure} {when}"
            yield Offence(saw, "a sync that comes through, of a version that the release reads", Verdict.UNREADABLE)
        before = sync.metadata_location


def remains(found: Sequence[str]) -> Iterator[Offence]:
    """`found` are the objects in the metadata folder of a table without a successful sync."""
    if found:
        yield Offence(f"{len(found)} objects, {found[0]} the first", "no metadata folder", Verdict.FAILED_SILENTLY)


def _unsaid(sync: Sync, when: str, words: str) -> Iterator[Offence]:
    if sync.failure is None:
        yield Offence(f"SUCCESS {when}", f"a refusal: {words}", Verdict.FAILED_SILENTLY)
    elif words not in sync.failure:
        yield Offence(f"{sync.failure} {when}", f"a refusal: {words}", Verdict.UNREADABLE)


def _left(sync: Sync, when: str, before: str) -> Iterator[Offence]:
    if sync.metadata_location != before:
        left, was = (one.rpartition("/")[2] or "no metadata" for one in (sync.metadata_location, before))
        yield Offence(f"{left} {when}", f"{was}, as before", Verdict.FAILED_SILENTLY)
