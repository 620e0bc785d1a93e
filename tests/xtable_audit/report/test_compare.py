"""What an upgrade changes, on made-up runs: every pair of states has its kind of change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.of_each import of_each
from tests.xtable_audit.report.runs import claim, document
from xtable_audit.model.outcome import Cause
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.compare import Change, Difference, compare, of_differences

HELD, FOUND, KNOWN = claim(), claim("finding"), claim("known", registered="XTF-010")
GONE, UNKNOWN, ERROR = claim("gone"), claim("inconclusive"), claim("error")
WIDER = claim("finding", rows=20)
MILDER = claim("finding", verdict="LOOSE")
OTHER = claim("finding", saw="no bounds at all for part-1.parquet")
REFUSED, REFUSED_OTHERWISE = (claim("finding", verdict="UNREADABLE", saw=words) for words in ("ERROR: a", "it threw b"))
NOTHING = claim("not_applicable", reason="the claim needs a stored bound")
REFUSED_RIGHTLY = claim("not_applicable", reason="of version 8", cause=Cause.REFUSED)
ELSEWHERE = claim("finding", column="e", columns=["e"])
BOTH_COLUMNS = claim(
    "finding",
    rows=20,
    saw="[0.0 … 0.0] for part-1.parquet (2 files alike); also in 1 other column: e",
    columns=["d", "e"],
)
MANY_COLUMNS = claim(
    "finding",
    rows=20,
    saw="[0.0 … 0.0] for part-1.parquet; also in 9 other columns: e, f, g, h, i …",
    columns=list("defghijklm"),
)
NOBODYS = claim("finding", blame="source layout")
QUERIED_D = claim("finding", saw="1 of 1 matching files dropped for d = 5: part-1.parquet", example="d = 5")
QUERIED_E = claim("finding", saw="1 of 1 matching files dropped for e = 7: part-2.parquet", example="e = 7", column="e")
LONG_BOUND = claim("finding", saw="[1000.2500000000 … 123456789.0000000000] for part-2.parquet")
SAME_FILE = claim("finding", saw="[7.0 … 8.0] for part-1.parquet")
OTHER_FILE = claim("finding", saw="[7.0 … 8.0] for part-2.parquet")
MOVED = claim("finding", saw="[0.0 … 0.0] for 2b8c0c7e-4f0e-4c0d-9f5a-2f0f5e7b1c3d-0_0-9-0.parquet")

Kinds = list[tuple[str, bool]]


def changes(before: Any, after: Any, in_place: Any = None) -> Kinds:
    """Each change, and whether it fails the gate. Without a third run the upgrade in place is as TO alone."""
    return [(str(one.change), one.fails) for one in differences(before, after, in_place)]


def differences(before: Any, after: Any, in_place: Any = None) -> list[Difference]:
    runs = (document(*([one] if one else [])) for one in (before, after, in_place or after))
    return compare(*runs)


CASES: dict[str, tuple[Any, Any, Any, Kinds]] = {
    "held by all": (HELD, HELD, HELD, []),
    "new": (HELD, FOUND, FOUND, [("new", True)]),
    "new, though registered": (HELD, KNOWN, KNOWN, [("new", True)]),
    "new, and not in place": (HELD, FOUND, HELD, [("new", True)]),
    "fixed": (FOUND, HELD, HELD, [("fixed", False)]),
    "left behind": (FOUND, HELD, FOUND, [("left behind", False)]),
    "made by the upgrade itself": (HELD, HELD, FOUND, [("left behind", True)]),
    "still there": (FOUND, FOUND, FOUND, [("still there", False)]),
    "still there, registered since": (FOUND, KNOWN, KNOWN, [("still there", False)]),
    "still there, in a file of another name": (FOUND, MOVED, FOUND, [("still there", False)]),
    "changed for the worse": (FOUND, WIDER, WIDER, [("changed", True)]),
    "changed for the better": (WIDER, FOUND, FOUND, [("changed", False)]),
    "changed to a milder verdict": (FOUND, MILDER, MILDER, [("changed", False)]),
    "changed to a graver verdict": (MILDER, FOUND, FOUND, [("changed", True)]),
    "changed to another kind": (FOUND, OTHER, OTHER, [("changed", True)]),
    "refused in other words": (REFUSED, REFUSED_OTHERWISE, REFUSED_OTHERWISE, [("changed", False)]),
    "still there, reported for another of its files": (FOUND, OTHER_FILE, OTHER_FILE, [("still there", False)]),
    "still there, shown by another query": (QUERIED_D, QUERIED_E, QUERIED_E, [("still there", False)]),
    "still there, with bounds of many digits": (FOUND, LONG_BOUND, LONG_BOUND, [("still there", False)]),
    "changed to other values": (FOUND, SAME_FILE, SAME_FILE, [("changed", False)]),
    "left in one of two columns": (BOTH_COLUMNS, ELSEWHERE, ELSEWHERE, [("changed", False)]),
    "left in one of many columns": (MANY_COLUMNS, ELSEWHERE, ELSEWHERE, [("changed", False)]),
    "changed to nobody's fault": (FOUND, NOBODYS, NOBODYS, [("changed", False)]),
    "changed to more columns": (ELSEWHERE, MANY_COLUMNS, MANY_COLUMNS, [("changed", True)]),
    "changed to another column": (FOUND, ELSEWHERE, ELSEWHERE, [("changed", True)]),
    "better by TO, as before in place": (WIDER, FOUND, WIDER, [("left behind", False), ("changed", False)]),
    "milder by TO, as before in place": (FOUND, MILDER, FOUND, [("left behind", False), ("changed", False)]),
    "still there, milder in place": (FOUND, FOUND, MILDER, [("still there", False)]),
    "newly read, and wrong": (REFUSED_RIGHTLY, FOUND, FOUND, [("newly read", True)]),
    "newly read, and slow": (REFUSED_RIGHTLY, MILDER, MILDER, [("newly read", False)]),
    "newly read, and right": (REFUSED_RIGHTLY, HELD, HELD, []),
    "gone in TO": (HELD, GONE, HELD, [("registered but gone", True)]),
    "gone in FROM": (GONE, HELD, HELD, [("registered but gone", True)]),
    "gone in place is no change": (HELD, HELD, GONE, []),
    "fixed, and the register does not know it": (FOUND, GONE, HELD, [("registered but gone", True), ("fixed", False)]),
    "not run by FROM": (UNKNOWN, FOUND, FOUND, [("could not run", False)]),
    "not run by TO": (FOUND, UNKNOWN, HELD, [("could not run", False)]),
    "not run in place": (FOUND, HELD, UNKNOWN, [("could not run", False)]),
    "new, and not run in place": (HELD, FOUND, UNKNOWN, [("new", True), ("could not run", False)]),
    "not run by TO, found in place": (FOUND, UNKNOWN, FOUND, [("could not run", False)]),
    "an error of the suite": (HELD, ERROR, HELD, [("could not run", False)]),
    "nothing to compare, ever": (NOTHING, NOTHING, NOTHING, []),
    "nothing to compare with TO": (HELD, NOTHING, HELD, [("no longer judged", False)]),
    "nothing to compare with TO where FROM was wrong": (FOUND, NOTHING, NOTHING, [("no longer judged", False)]),
    "nothing to compare in place": (FOUND, HELD, NOTHING, [("no longer judged", False)]),
    "nothing to compare with TO, and wrong in place": (
        FOUND,
        NOTHING,
        FOUND,
        [("left behind", False), ("no longer judged", False)],
    ),
    "nothing to compare with FROM, and right since": (NOTHING, HELD, HELD, []),
    "nothing to compare with FROM, and wrong since": (NOTHING, FOUND, FOUND, [("new", True)]),
    "nothing to compare alone, and wrong in place": (NOTHING, NOTHING, FOUND, [("left behind", True)]),
    "read by FROM, refused by TO": (FOUND, REFUSED_RIGHTLY, REFUSED_RIGHTLY, [("no longer judged", False)]),
    "not run for FROM": (None, HELD, HELD, [("could not run", False)]),
    "not run for TO": (HELD, None, HELD, [("could not run", False)]),
}


@of_each(("before", "after", "in_place", "expected"), CASES.values(), ids=CASES.keys())
def test_every_pair_of_states_has_its_change(before: Any, after: Any, in_place: Any, expected: Kinds) -> None:
    assert changes(before, after, in_place) == expected


def test_release_in_the_words_is_no_change() -> None:
    """XTable's own failure names its release; it is the same failure."""
    before, after = (
        document(claim("finding", verdict="UNREADABLE", saw=f"XTable {release} did not translate it"), release=release)
        for release in ("0.3.0-incubating", "0.4.0-incubating")
    )
    assert [one.change for one in compare(before, after, after)] == [Change.STILL]


def test_a_claim_in_other_words_is_the_same_claim() -> None:
    """Its id identifies it: one run's suite may word it better than the other's."""
    runs = document(FOUND), document(claim("finding", sentence="no value lies outside its bounds"))
    assert [one.change for one in compare(*runs, runs[1])] == [Change.STILL]


def test_the_same_finding_is_not_worse_where_the_control_could_not_be_asked() -> None:
    """Without the source's own statistics, XTable is blamed alone for what it passes on from Hudi."""
    runs = document(claim("finding", blame="xtable via hudi")), document(claim("finding", blame="xtable"))
    assert [one.change for one in compare(*runs, runs[1])] == [Change.STILL]


def test_another_claim_is_another_kind_of_finding() -> None:
    runs = document(FOUND), document(claim("finding", claim="bounds_are_tight"))
    assert [(one.change, one.worse) for one in compare(*runs, runs[1])] == [(Change.CHANGED, True)]


READ = "suites/files/test_files.py::test_table_can_be_read"


def refused(saw: str = "XTable did not translate types_nan: ERROR") -> list[ClaimResult]:
    """A table that a release does not translate: one finding, and claims that could therefore not run."""
    unread: dict[str, Any] = {"verdict": "UNREADABLE", "saw": saw, "column": None}
    return [claim("finding", test=READ, **unread), claim("finding", cause=Cause.FOLLOWS, **unread)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (refused(), refused(), ["still there"]),
        (refused(), [claim(test=READ), HELD], ["fixed"]),
        (refused(), [claim(test=READ), FOUND], ["newly read", "fixed"]),
        (refused(), [claim(test=READ), MILDER], ["newly read", "fixed"]),
        ([claim(test=READ), HELD], refused(), ["new", "no longer judged"]),
        ([claim(test=READ), FOUND], refused(), ["new", "no longer judged"]),
    ],
    ids=[
        "by both",
        "by FROM, sound by TO",
        "by FROM, unsound by TO",
        "by FROM, loose by TO",
        "by TO",
        "by TO, unsound by FROM",
    ],
)
def test_claims_on_a_table_that_is_refused_are_covered_by_the_refusal(
    before: Any, after: Any, expected: list[str]
) -> None:
    runs = document(*before), document(*after)
    assert [str(one.change) for one in compare(*runs, runs[1])] == expected


def test_claims_that_follow_from_a_known_refusal_are_covered_by_it() -> None:
    """The table is registered as unreadable, so its other claims count as known."""
    refusal = claim("known", test=READ, verdict="UNREADABLE")
    runs = (
        document(refusal, claim("known", cause=Cause.FOLLOWS, verdict="UNREADABLE")),
        document(claim(test=READ), HELD),
    )
    assert [(one.change, one.test) for one in compare(*runs, runs[1])] == [(Change.FIXED, refusal.test)]


def test_claims_that_could_not_run_for_another_reason_are_reported() -> None:
    other = [refused()[0], claim("inconclusive", reason="no request log")]
    runs = document(*other), document(*other)
    assert Change.COULD_NOT_RUN in [one.change for one in compare(*runs, runs[1])]


def test_the_worst_comes_first() -> None:
    before = document(claim("finding", "a"), claim("held", "b"), claim("held", "c"), claim("finding", "d"))
    after = document(
        claim("held", "a"), claim("finding", "b", verdict="LOOSE"), claim("finding", "c"), claim("finding", "d")
    )
    expected = [(str(one.change), one.table) for one in compare(before, after, after)]
    assert expected == [("new", "c"), ("new", "b"), ("still there", "d"), ("fixed", "a")]


def test_each_table_is_counted_once_by_its_gravest_finding() -> None:
    before = document(*(claim("held", table, test) for table in "ab" for test in "xy"))
    after = document(
        claim("finding", "a", "x", wrong=10),
        claim("finding", "a", "y", wrong=30),
        claim("finding", "b", "x", wrong=10),
        claim("held", "b", "y"),
    )
    assert str(of_differences(compare(before, after, after))) == "40 rows lost or wrong, in 2 files of 2 tables"


def test_without_a_third_run_two_are_compared() -> None:
    assert [one.change for one in compare(document(FOUND), document(HELD), None)] == [Change.FIXED]


@pytest.mark.parametrize(("verdict", "expected"), [("UNREADABLE", []), ("UNSOUND", [Change.LEFT_BEHIND])])
def test_a_table_that_to_refuses_is_left_behind_where_it_misleads(verdict: str, expected: list[Change]) -> None:
    """FROM began it, and TO goes on with it as far as it can: a sync that it refuses is its own refusal."""
    before, in_place = ([claim(test=READ), one] for one in (HELD, claim("finding", verdict=verdict)))
    found = compare(document(*before), document(*refused()), document(*in_place))
    assert [one.change for one in found if one.change not in (Change.NEW, Change.UNJUDGED)] == expected


def test_claims_about_hudis_own_indexes_are_no_part_of_an_upgrade() -> None:
    before, after = (
        replace(document(one), sources={"types_nan-xtable": "Hudi's own indexes"}) for one in (HELD, FOUND)
    )
    assert compare(before, after, after) == []
