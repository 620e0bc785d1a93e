"""Tables that a release cannot read: each sync of theirs must say so, and leave what was there before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xtable_audit.model.claim import Need, claim
from xtable_audit.model.finding import Verdict


@dataclass(frozen=True)
class Attempt:
    """One sync. `location` is the newest metadata.json with a snapshot afterwards, "" where there is none."""

    when: str
    to_be_refused: bool
    failure: str | None
    location: str


@dataclass(frozen=True)
class Offence:
    saw: str
    expected: str
    verdict: Verdict


@dataclass(frozen=True)
class Refused:
    """A table that the release cannot read, and the syncs that were tried."""

    attempts: Sequence[Attempt]
    words: str
    """Part of what the release says of a table that it cannot read."""
    remains: Sequence[str]
    """Objects in the metadata folder of a table that no sync came through for."""


TO_BE_REFUSED = Need[Refused](
    "a sync that is to be refused", lambda refused: sum(one.to_be_refused for one in refused.attempts)
)


@claim(
    "a table version that the release cannot read is refused, and nothing is left behind",
    needs=TO_BE_REFUSED,
    spec="a sync that does not do its work says so, and leaves what was there before",
    breaks=Verdict.FAILED_SILENTLY,
)
def a_version_that_cannot_be_read_is_refused(refused: Refused) -> Iterator[Offence]:
    yield from offences(refused.attempts, refused.words)
    yield from remains(refused.remains)


def offences(attempts: Sequence[Attempt], words: str) -> Iterator[Offence]:
    """`words` are part of what the release says of a table that it cannot read."""
    before = ""
    for one in attempts:
        if one.to_be_refused:
            yield from _unsaid(one, words)
            yield from _left(one, before)
        elif one.failure is not None:
            saw = f"{one.failure} {one.when}"
            yield Offence(saw, "a sync that comes through, of a version that the release reads", Verdict.UNREADABLE)
        before = one.location


def remains(found: Sequence[str]) -> Iterator[Offence]:
    """`found` are the objects in the metadata folder of a table that no sync came through for."""
    if found:
        yield Offence(f"{len(found)} objects, {found[0]} the first", "no metadata folder", Verdict.FAILED_SILENTLY)


def _unsaid(one: Attempt, words: str) -> Iterator[Offence]:
    if one.failure is None:
        yield Offence(f"SUCCESS {one.when}", f"a refusal: {words}", Verdict.FAILED_SILENTLY)
    elif words not in one.failure:
        yield Offence(f"{one.failure} {one.when}", f"a refusal: {words}", Verdict.UNREADABLE)


def _left(one: Attempt, before: str) -> Iterator[Offence]:
    if one.location != before:
        left, was = (location.rpartition("/")[2] or "no metadata" for location in (one.location, before))
        yield Offence(f"{left} {one.when}", f"{was}, as before", Verdict.FAILED_SILENTLY)
