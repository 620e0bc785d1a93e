"""Findings x releases: what each known finding does in each release."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.audit.runs import claim, document
from tests.report.pages import Page
from tools.pages.site import every_finding
from xtable_audit.model.finding import Verdict
from xtable_audit.model.result import Owner
from xtable_audit.report.document import Document, KnownRelease, MainBranch, Registered
from xtable_audit.report.html.matrices import Grid, ReleaseState, grids
from xtable_audit.report.html.picture import MARKS
from xtable_audit.report.html.template import render

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
    assert ([one.title for one in xtable], hudi.title) == (["XTable, 1 of 2", "XTable, 2 of 2"], "Hudi's own indexes")
    assert {type(state) for one in xtable for row in one.rows for state in row.states} == {ReleaseState}
    assert not any(one.unknown for one in xtable)
