"""How metadata comes to be written: alone, or begun by an older release."""

from __future__ import annotations

from xtable.way import Way, ways

OLD, MIDDLE, NEW = "0.2.0-incubating", "0.3.0-incubating", "0.4.0-incubating"


def test_every_upgrade_is_from_an_older_release_to_a_newer_one() -> None:
    releases = [Way.of(version).release for version in (MIDDLE, NEW, OLD)]
    assert [way.name for way in ways(releases)] == [
        NEW,
        MIDDLE,
        OLD,
        f"{MIDDLE}-to-{NEW}",
        f"{OLD}-to-{NEW}",
        f"{OLD}-to-{MIDDLE}",
    ]
