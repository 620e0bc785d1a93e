"""Findings on the page: those of one cause together, and what each known one does in each release."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from lab.provision.checked_register import REGISTER, register
from tests.xtable_audit.report.html.conftest import Page
from tests.xtable_audit.report.html.test_first import OWN
from tests.xtable_audit.report.runs import claim, document, found
from tools.pages.site import every_finding
from xtable_audit.model.finding import Answers, Verdict
from xtable_audit.model.outcome import Cause
from xtable_audit.model.own_table import OwnTable
from xtable_audit.model.result import Owner
from xtable_audit.register.affects import KERNEL
from xtable_audit.register.entry import Entry
from xtable_audit.report.document import Document, KnownRelease, MainBranch, Registered
from xtable_audit.report.groups import groups
from xtable_audit.report.html.matrices import CELLS, Grid, ReleaseState, grids, heat
from xtable_audit.report.html.picture import MARKS
from xtable_audit.report.html.template import render

# Findings of one cause stand together, and each in one place.

OTHER = "suites/x/test_y.py::test_z"


def test_a_registered_finding_is_one_group_over_all_tables() -> None:
    made = document(*(claim("known", f"t{n}-xtable", registered="XTF-003") for n in range(3)))
    [group] = groups(made)
    assert (group.name, group.tables) == ("XTF-003", ("t0-xtable", "t1-xtable", "t2-xtable"))


def test_every_finding_is_in_one_group() -> None:
    made = document(claim("known", registered="XTF-003"), claim("finding", test=OTHER), claim())
    seen = [id(one) for group in groups(made) for one in group.findings]
    assert sorted(seen) == sorted(id(one.finding) for one in made.claims if one.finding)


def test_the_worst_group_is_first() -> None:
    made = document(
        claim("known", registered="XTF-010", verdict="LOOSE"), claim("known", registered="XTF-004", test=OTHER)
    )
    assert [group.verdict for group in groups(made)] == [Verdict.UNSOUND, Verdict.LOOSE]


def test_a_new_finding_stands_before_a_known_one_of_its_verdict() -> None:
    made = document(claim("known", registered="XTF-004"), claim("finding", test=OTHER))
    assert [group.new for group in groups(made)] == [True, False]


def test_claims_that_follow_are_counted_and_not_listed() -> None:
    echo = claim("known", registered="XTF-023", test=OTHER, cause=Cause.FOLLOWS)
    [group] = groups(document(claim("known", registered="XTF-023"), echo))
    assert (len(group.findings), group.follow) == (1, 1)


def test_a_consequence_stands_with_its_cause() -> None:
    ids = ("bounds_are_tight", "points_skip_what_exact_bounds_would")
    made = document(*(replace(claim("finding"), finding=replace(found(), claim=id, again=claim().test)) for id in ids))
    assert len(groups(made)) == 1


@pytest.mark.parametrize(("own", "number"), [(None, 2), (OWN, 1)], ids=["of many tables", "of a user's own"])
def test_claims_that_say_the_same_of_one_table_are_one_cause(own: OwnTable | None, number: int) -> None:
    ids = ("bounds_contain_values", "bounds_are_tight")
    made = document(*(replace(claim("finding"), finding=replace(found(), claim=id)) for id in ids))
    assert len(groups(replace(made, own_table=own))) == number


def test_what_keeps_claims_from_being_checked_is_one_finding_where_its_own_claim_was_not_run() -> None:
    echoes = (claim("known", registered="XTF-023", test=f"{OTHER}{n}", cause=Cause.FOLLOWS) for n in range(3))
    made = document(*(replace(one, finding=found(registered="XTF-023")) for one in echoes))
    [group] = groups(made)
    assert (len(group.findings), group.follow) == (1, 2)


def test_the_finding_with_readers_answers_is_shown_in_full() -> None:
    told = Answers("b-xtable", "d = 1", 1, {"duckdb": 0})
    made = document(
        claim("known", "a-xtable", registered="XTF-003"), claim("known", "b-xtable", registered="XTF-003", answers=told)
    )
    assert groups(made)[0].first.table == "b-xtable"


def test_the_map_has_a_cell_for_each_family_and_table() -> None:
    made = document(claim(table="a-xtable"), claim("known", "b-xtable", registered="XTF-003"))
    seen = heat(made, groups(made))
    assert seen is not None
    assert (seen.rows, seen.columns) == (("bounds",), ("a-xtable", "b-xtable"))
    assert [(cell.ran, cell.failed, cell.anchor) for cell in seen.cells[0]] == [(1, 0, ""), (1, 1, "XTF-003")]


def test_a_map_of_many_tables_shows_kinds_of_tables_and_counts_every_claim() -> None:
    made = document(*(claim(table=f"kind{n % 300}_{n}-xtable") for n in range(900)))
    seen = heat(made, ())
    assert seen is not None
    assert seen.are_kinds
    assert len(seen.rows) * len(seen.columns) <= CELLS
    assert sum(cell.ran for row in seen.cells for cell in row) == 900


def test_one_table_has_no_map() -> None:
    assert heat(document(claim()), ()) is None


# Findings x releases: what each known finding does in each release.

RELEASES: dict[str, tuple[KnownRelease, ...]] = {
    "xtable": (KnownRelease("0.3.0", "2025-05-10"), KnownRelease("0.4.0", "2026-08-07"))
}
MAIN = MainBranch("54b58df089eabc9134e12e603470947ec59e21cd", "2026-11-23")
STAYS = {"0.3.0": Verdict.LOOSE, "0.4.0": Verdict.UNSOUND, "main": Verdict.UNSOUND}
WENT = {"0.3.0": Verdict.UNSOUND, "0.4.0": None, "main": None}


def known(states: Mapping[str, Verdict | None], *, ran_on_main: bool = False) -> Registered:
    return Registered("A fault", "xtable", Owner.XTABLE, "everyday", states=dict(states), ran_on_main=ran_on_main)


def drawn(register: Mapping[str, Registered]) -> list[Grid]:
    return list(grids(register, RELEASES, {"xtable": MAIN}, lambda id: f"#{id}"))


def with_register(register: dict[str, Registered]) -> Document:
    """A run that finds every entry."""
    claims = (claim("known", f"{id}-xtable", registered=id) for id in register)
    return replace(document(*claims), register=register, releases=RELEASES, main=MAIN)


def test_a_column_is_a_release_with_its_day_and_main_is_the_last() -> None:
    [grid] = drawn({"XTF-001": known(STAYS)})
    assert [(one.release, one.under) for one in grid.columns] == [
        ("0.3.0", ("2025-05-10",)),
        ("0.4.0", ("2026-08-07",)),
        ("main", ("54b58df", "read 2026-11-23")),
    ]


def test_each_component_has_its_own_main() -> None:
    """A component whose main was not read has none."""
    releases = {**RELEASES, "hudi": (KnownRelease("1.2.0", "2026-05-22"),)}
    of_both = {"XTF-001": known(STAYS), "XTF-044": replace(known({"1.2.0": Verdict.UNSOUND}), component="hudi")}
    mains = {"xtable": None, "hudi": MainBranch("65cf7e8ede7d1a08f3b3f13b4a45c6229043cc3e", "2026-11-24")}
    xtable, hudi = grids(of_both, releases, mains, str)
    assert [one.release for one in xtable.columns] == ["0.3.0", "0.4.0"]
    assert [(one.release, one.under[0]) for one in hudi.columns] == [("1.2.0", "2026-05-22"), ("main", "65cf7e8")]


@pytest.mark.parametrize(
    ("here", "marked"),
    [("0.4.0-incubating", ["0.4.0"]), ("0.5.0-SNAPSHOT", []), ("a.jar", []), ("", [])],
    ids=["a release", "one that the register does not cover", "a jar", "none"],
)
def test_the_release_of_the_run_is_marked(here: str, marked: list[str]) -> None:
    [grid] = grids({"XTF-001": known(STAYS)}, RELEASES, {"xtable": MAIN}, str, here)
    assert [one.release for one in grid.columns if "this run" in one.under] == marked


@pytest.mark.parametrize(
    ("states", "ran", "words"),
    [
        (STAYS, True, ["extra reads", "wrong results", "wrong results"]),
        (STAYS, False, ["extra reads", "wrong results", "wrong results, by reading"]),
        (WENT, True, ["wrong results", "not there", "not there"]),
        ({"0.4.0": Verdict.STALE}, True, ["not known", "stale rows", "not known"]),
    ],
    ids=["it stays", "main was only read", "it is gone", "of some nothing is known"],
)
def test_a_cell_says_what_the_finding_does_there(
    states: dict[str, Verdict | None], ran: bool, words: list[str]
) -> None:
    [grid] = drawn({"XTF-001": known(states, ran_on_main=ran)})
    assert [one.words for one in grid.rows[0].states] == words


def test_each_release_counts_the_findings_that_it_has() -> None:
    [grid] = drawn({"XTF-001": known(STAYS), "XTF-002": known(WENT)})
    assert grid.present == (2, 1, 1)


def test_what_is_gone_stands_below_what_stays() -> None:
    [grid] = drawn({"XTF-001": known(WENT), "XTF-002": known(STAYS), "XTF-003": known({})})
    assert [row.id for row in grid.rows] == ["XTF-002", "XTF-001", "XTF-003"]


def test_findings_of_a_component_without_known_releases_have_no_picture() -> None:
    assert drawn({"XTF-001": replace(known({}), component="daft")}) == []


@pytest.mark.parametrize("number", [1, 66, 67, 200])
def test_no_picture_has_more_marks_than_can_be_read(number: int) -> None:
    made = drawn({f"XTF-{n:03}": known(STAYS) for n in range(number)})
    assert sum(len(grid.rows) for grid in made) == number
    assert max(len(grid.rows) * len(grid.columns) for grid in made) <= MARKS


def test_the_page_has_a_row_for_each_finding_of_the_run_and_for_no_other() -> None:
    register = {"XTF-001": known(STAYS), "XTF-002": known(WENT)}
    page = Page(render(replace(with_register({"XTF-001": known(STAYS)}), register=register)))
    assert "releases" in page.values("id")
    assert "XTF-001 A fault ≈ extra reads ✗ wrong results ✗ wrong results, by reading" in page.text
    assert "XTF-002" not in page.text


def test_each_state_has_a_sign_and_a_colour_of_its_own() -> None:
    states: list[dict[str, Verdict | None]] = [*({"0.4.0": verdict} for verdict in (*Verdict, None)), {}]
    page = render(with_register({f"XTF-{n:03}": known(one) for n, one in enumerate(states)}))
    drawn = set(re.findall(r'<td class="([\w-]+)"><span aria-hidden="true">(.)</span> <span class="words">', page))
    assert {kind for kind, _ in drawn} == {*(f"v-{verdict}" for verdict in Verdict), "held", "unknown"}
    assert len({sign for _, sign in drawn}) == len(drawn) == len(states)


def test_a_row_leads_to_its_finding() -> None:
    page = Page(render(with_register({"XTF-001": known(STAYS)})))
    assert "#XTF-001" in page.values("href")
    assert "XTF-001" in page.values("id")


def test_a_document_that_knows_no_release_has_no_such_part() -> None:
    page = Page(render(replace(with_register({"XTF-001": known({})}), releases={})))
    assert "releases" not in page.values("id")


def test_every_known_finding_of_xtable_stands_on_the_scoreboard() -> None:
    *xtable, hudi = every_finding()
    assert [one.title for one in xtable] == [f"XTable, {part} of {len(xtable)}" for part in range(1, len(xtable) + 1)]
    assert hudi.title == "Hudi's own indexes"
    assert {type(state) for one in xtable for row in one.rows for state in row.states} == {ReleaseState}


def of_iceberg(entry: Entry) -> bool:
    """Of Iceberg tables alone, and not of Delta Kernel alone, which older releases do not have."""
    return {(one.format, one.writer == KERNEL) for one in entry.affects} == {("iceberg", False)}


def test_what_the_scoreboard_does_not_know_was_not_tried() -> None:
    """Older releases, over Iceberg tables and to Hudi."""
    rows = [row for one in every_finding() for row in one.rows]
    since_0_4 = {
        one.id
        for one in register(REGISTER)
        if "xtable" in one.components and (not one.is_tried("0.3.0") or of_iceberg(one))
    }
    assert {row.id for row in rows if not all(state.known for state in row.states)} == since_0_4
    assert {tuple(state.known for state in row.states[:2]) for row in rows if row.id in since_0_4} == {(False, False)}
