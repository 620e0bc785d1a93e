"""An error that is made in a recorded table is caught by its claims, and a claim that sees nothing is found out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pyarrow as pa
import pytest

from tests.of_each import of_each
from tools.mutations.__main__ import PLANS, Judged, judged, main
from tools.mutations.made_errors import PlaceFacts, Tally, TrialOutcome
from tools.mutations.page import END, START, Route, page, put
from tools.mutations.spoil import ERRORS, TUPLES, Error
from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.every_claim import EVERY_CLAIM
from xtable_audit.claims.partition import tuples_equal_every_row
from xtable_audit.model.problem import Problem
from xtable_audit.subject.case import Case

TABLES = frozenset({"plain_types", "types_nan_plain", "partition_two_columns", "history_delete"})
RARE = "NaN count"
"""XTable stores none, so that no recorded table can have a wrong one."""


@cache
def tables() -> tuple[Judged, ...]:
    return tuple(judged(TABLES, PLANS[:1]))


def tried(*errors: Error) -> Tally:
    tally = Tally()
    for one in tables():
        tally.try_all(one.table, one.way, one.case, errors or ERRORS)
    return tally


@cache
def tried_all() -> Tally:
    return tried()


def sees_nothing(case: Case) -> Iterator[Deviation]:
    del case
    yield from ()


MADE = [error for error in ERRORS if RARE not in error.words]


@of_each("error", MADE, ids=str)
def test_an_error_is_caught_in_each_kind_of_place_in_which_it_is_made(error: Error) -> None:
    seen = [tried_all().seen(spot) for spot in tried_all().tables if spot.error == error.words]
    assert {*seen} == {TrialOutcome.CAUGHT}


@pytest.mark.parametrize("error", MADE, ids=str)
def test_an_error_is_missed_where_its_claims_see_nothing(error: Error, monkeypatch: pytest.MonkeyPatch) -> None:
    for id in error.claims:
        monkeypatch.setitem(EVERY_CLAIM, id, replace(EVERY_CLAIM[id], check=sees_nothing))
    tally = tried(error)
    assert {tally.seen(spot) for spot in tally.tables} == {TrialOutcome.MISSED}


def test_an_error_is_hidden_where_nothing_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where no data file is at its address, so that its values are not known."""
    [error] = [one for one in ERRORS if one.words == "null for a tuple"]
    claim = EVERY_CLAIM[TUPLES[0]]
    monkeypatch.setitem(EVERY_CLAIM, claim.id, replace(claim, needs=(replace(claim.needs[0], count=lambda case: 0),)))
    tally = Tally()
    tally.try_all("plain_types-xtable", "Hudi to Iceberg", tables()[0].case, [error])
    assert {tally.seen(spot) for spot in tally.tables} == {TrialOutcome.HIDDEN}


def test_tuples_of_files_that_nobody_can_read_are_not_judged() -> None:
    """A claim that compares nothing does not hold."""
    case = tables()[0].case
    nobody = pa.array([None] * case.stored.files.num_rows, pa.int64())
    columns = {name: table.take(nobody) for name, table in case.actual.columns.items()}
    need = tuples_equal_every_row.lacks(replace(case, actual=replace(case.actual, columns=columns)))
    assert tuples_equal_every_row.lacks(case) is None
    assert need is not None
    assert need.words == "a partition tuple of a data file whose values are known"


def test_a_type_that_no_table_of_a_way_has_is_a_hole() -> None:
    iceberg = Route(tried_all(), "Hudi to Iceberg")
    assert PlaceFacts("type", "boolean") not in iceberg.nowhere
    tally = tried()
    for spot in [spot for spot in tally.tables if spot.way == iceberg.words and spot.where.words == "boolean"]:
        del tally.tables[spot]
    assert PlaceFacts("type", "boolean") in Route(tally, iceberg.words).nowhere
    assert "* no table has any: boolean" in page(tally, 1, "0.4.0")


def test_what_no_claim_catches_is_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EVERY_CLAIM, TUPLES[0], replace(EVERY_CLAIM[TUPLES[0]], check=sees_nothing))
    [error] = [one for one in ERRORS if one.words == "null for a tuple"]
    assert "* null for a tuple, which no claim catches: 9 to 32 columns" in page(tried(error), 12, "0.4.0")


def test_the_section_takes_the_place_of_the_one_that_is_there() -> None:
    assert put(f"before\n{START}old\n{END}after\n", "new\n") == f"before\n{START}new\n{END}after\n"


def test_a_table_that_there_is_not_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Problem, match=r"no table no_such_table; python -m spark_jobs\.battery \. --list has all"):
        main(["--tables", "no_such_table"])
    assert capsys.readouterr().out == ""


def test_the_page_is_of_all_tables() -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--tables", "plain_types", "--page"])
