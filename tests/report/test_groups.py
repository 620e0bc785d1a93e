"""Findings of one cause stand together, and each in one place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.audit.runs import claim, document, found
from tests.report.test_first import OWN
from xtable_audit.model.finding import Answers, Verdict
from xtable_audit.model.outcome import Cause
from xtable_audit.model.own_table import OwnTable
from xtable_audit.report.groups import groups
from xtable_audit.report.html.matrices import CELLS, heat

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
