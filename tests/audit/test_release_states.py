"""What a finding does in each release, for its page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from provision.register import REGISTER, register
from xtable_audit.model.finding import Verdict
from xtable_audit.register.entry import Entry, Where
from xtable_audit.report.release_states import newest_affected, states

RELEASES = ("0.2.0", "0.3.0", "0.4.0")
ENTRY = register(REGISTER)[2]


def where(releases: str, verdict: Verdict, **more: Any) -> Where:
    plain = replace(ENTRY.where[0], at_times="", upgrade_from=None)
    return replace(plain, releases=SpecifierSet(releases), verdict=verdict, **more)


def entry(*blocks: Where) -> Entry:
    return replace(ENTRY, where=blocks)


MENDED = entry(where(">=0.2,<0.4", Verdict.UNSOUND), where(">=0.2,<0.3", Verdict.LOOSE))
MILDER = entry(where(">=0.2,<0.4", Verdict.UNSOUND), where(">=0.4,<0.5", Verdict.LOOSE))


@pytest.mark.parametrize(
    ("entry", "verdicts"),
    [
        (MENDED, [Verdict.UNSOUND, Verdict.UNSOUND, None]),
        (MILDER, [Verdict.UNSOUND, Verdict.UNSOUND, Verdict.LOOSE]),
    ],
    ids=["mended", "milder"],
)
def test_each_release_has_its_worst_verdict(entry: Entry, verdicts: list[Verdict | None]) -> None:
    assert list(states(entry, "xtable", RELEASES).values()) == verdicts


@pytest.mark.parametrize(
    ("entry", "newest"),
    [(MENDED, ("0.3.0", Verdict.UNSOUND)), (MILDER, ("0.4.0", Verdict.LOOSE))],
    ids=["mended", "milder"],
)
def test_the_newest_affected_release_counts(entry: Entry, newest: tuple[str, Verdict]) -> None:
    assert newest_affected(entry, "xtable", RELEASES) == newest


def test_what_comes_and_goes_does_not_count() -> None:
    assert newest_affected(entry(where(">=0.2", Verdict.STALE, at_times="1 of 9")), "xtable", RELEASES) is None


def test_an_upgrade_in_place_counts_where_nothing_else_shows_it() -> None:
    upgraded = where(">=0.3,<0.5", Verdict.UNSOUND, upgrade_from=SpecifierSet(">=0.2,<0.3"))
    alone, beside = entry(upgraded), entry(upgraded, where(">=0.2,<0.3", Verdict.LOOSE))
    assert newest_affected(alone, "xtable", RELEASES) == ("0.4.0", Verdict.UNSOUND)
    assert newest_affected(beside, "xtable", RELEASES) == ("0.2.0", Verdict.LOOSE)
