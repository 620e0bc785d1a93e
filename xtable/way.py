"""Which releases write a table's Iceberg metadata: one alone, or an older one first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.stack.versions import Release, release


@dataclass(frozen=True)
class Way:
    """`since` is the release that an upgrade in place starts from; None if `release` writes everything."""

    release: Release
    since: Release | None = None

    @classmethod
    def of(cls, version: str, since: str | None = None) -> Way:
        """By their versions (`0.4.0` will do). Raises Problem for what is no version."""
        return cls(release(version), release(since) if since else None)

    @property
    def name(self) -> str:
        """`0.4.0-incubating`, or `0.2.0-incubating-to-0.4.0-incubating`."""
        return f"{self.since.version}-to-{self.release.version}" if self.since else self.release.version


def ways(among: Sequence[Release]) -> tuple[Way, ...]:
    """Each of the releases alone, newest first, then every upgrade in place between two of them."""
    newest_first = sorted(among, key=lambda one: one.order, reverse=True)
    upgrades = (Way(one, since) for place, one in enumerate(newest_first) for since in newest_first[place + 1 :])
    return (*(Way(one) for one in newest_first), *upgrades)
