"""A new finding on a table that no entry names: the entry whose condition predicts it takes it into the locked file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from lab.provision.checked_register import REGISTER, register
from tests.xtable_audit.report.runs import claim, document
from tools.pages.extents import renewed
from xtable_audit.model.outcome import Cause
from xtable_audit.model.result import ClaimResult
from xtable_audit.register.entry import Entry
from xtable_audit.register.extent import Extent, Extents

pytestmark = pytest.mark.slow  # reads recorded sources
ENTRIES = register(REGISTER)
TABLE, ENTRY = "types_nan_plain-xtable", "XTF-003"
TEST = f"bounds_contain_values[{TABLE}]"
OLDER = ("0.2.0", "0.3.0")
VIA_HUDI: dict[str, Any] = {"blame": "xtable via hudi", "columns": ("d", "f")}


def without(*tables: str) -> Sequence[Entry]:
    """The register, had these tables been added to the battery only now."""
    return [
        replace(
            entry,
            where=tuple(
                replace(one, subjects=left)
                for one in entry.where
                if (left := tuple(subject for subject in one.subjects if subject not in tables))
            ),
        )
        for entry in ENTRIES
    ]


def taken(found: ClaimResult, entries: Sequence[Entry]) -> Extents:
    return renewed(Extents({}), [document(found)], entries)


def test_it_is_taken_in_by_the_entry_whose_condition_the_table_meets() -> None:
    seen = taken(claim("finding", TABLE, **VIA_HUDI), without(TABLE))
    assert seen == Extents({ENTRY: {TEST: {"0.4.0": Extent(1, 10, ("d", "f"))}}})


def test_what_is_known_by_its_cause_is_taken_in_too() -> None:
    assert [*taken(claim("known", TABLE, registered=ENTRY, **VIA_HUDI), without(TABLE)).of] == [ENTRY]


def of(test: str, table: str, **changed: Any) -> ClaimResult:
    return claim("finding", table, test=f"suites/x.py::test_{test}", **changed)


UNPREDICTED = {
    "a column that the condition does not name": claim("finding", TABLE, **VIA_HUDI | {"columns": ("record_key",)}),
    "what is known as another finding": claim("known", TABLE, registered="XTF-004", **VIA_HUDI),
    "what breaks in a way that no document says": of(
        "spec_is_the_configured_one", "partition_forgotten-xtable", verdict="LOOSE", columns=()
    ),
    "what is mended in that release": of("record_counts_are_exact", "edge_delta_column_back-xtable", columns=()),
    "a table that does not meet the condition": claim("finding", "types_ints_plain-xtable", **VIA_HUDI),
    "a table that is not recorded": claim("finding", "trips-xtable", **VIA_HUDI),
    "what a control wrote": claim("finding", "types_nan_plain-control", **VIA_HUDI),
    "another verdict": claim("finding", TABLE, **VIA_HUDI | {"verdict": "COSMETIC"}),
    "another blame": claim("finding", TABLE, **VIA_HUDI | {"blame": "xtable"}),
    "a claim that no entry has": claim("finding", TABLE, test="suites/x.py::test_every_file_exists", **VIA_HUDI),
    "what follows from another finding": claim("finding", TABLE, cause=Cause.FOLLOWS, **VIA_HUDI),
    "what holds": claim("held", TABLE),
}


@pytest.mark.parametrize("found", UNPREDICTED.values(), ids=UNPREDICTED)
def test_no_entry_takes_in(found: ClaimResult) -> None:
    assert taken(found, without(TABLE, "partition_forgotten-xtable", "edge_delta_column_back-xtable")) == Extents({})


def test_what_a_later_release_mends_is_taken_in_at_an_earlier_one() -> None:
    table = "edge_delta_column_back-xtable"
    found = of("record_counts_are_exact", table, columns=())
    old = document(found, release="0.2.0-incubating")
    assert [*renewed(Extents({}), [old], without(table)).of] == ["XTF-039"]


FLAT = "index_flat-delta_by_standalone"
THERE = {
    "another column": claim("finding", TABLE, **VIA_HUDI | {"columns": ("s",)}),
    "another release": of("record_counts_are_exact", "edge_delta_column_back-xtable", columns=()),
    "another planner": replace(
        of("no_matching_file_is_dropped", FLAT, columns=("i",)),
        test=f"suites/x.py::test_no_matching_file_is_dropped[{FLAT}-deltalake]",
    ),
    "an intermittent failure": claim("finding", "v6_index_120-xtable", reader="daft", blame="reader daft"),
}


@pytest.mark.parametrize("found", THERE.values(), ids=THERE)
def test_an_entry_that_has_the_table_takes_in_no_more_than_it_says(found: ClaimResult) -> None:
    assert renewed(Extents({}), [document(found, release="0.3.0-incubating")], ENTRIES) == Extents({})


def test_what_is_taken_in_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    taken(claim("finding", TABLE, **VIA_HUDI), without(TABLE))
    assert capsys.readouterr().out == f"XTF-003 takes in {TEST} at 0.4.0: 1 file with 10 rows, in d and f\n"


def test_a_new_release_is_held_against_the_newest_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Had 0.4.0 been recorded only now: what 0.3.0 has is taken in, and what no more than 0.2.0 has is not."""
    monkeypatch.setattr(
        "tools.pages.extents.extents", lambda _: Extents({ENTRY: {TEST: dict.fromkeys(OLDER, Extent(1))}})
    )
    still = claim("finding", TABLE, **VIA_HUDI)
    again = of("record_counts_are_exact", "edge_delta_column_back-xtable", columns=())
    assert ([*taken(still, ENTRIES).of], [*taken(again, ENTRIES).of]) == ([ENTRY], [])


def of_nested_columns(table: str) -> ClaimResult:
    """Two entries describe it: columns that the index leaves out (XTF-010), and an index that came later (XTF-013)."""
    test = "suites/bounds/test_bounds.py::test_bounds_are_present"
    return claim("finding", table, test=test, verdict="LOOSE", blame="xtable", columns=("st.n",))


def test_what_two_conditions_predict_is_left_to_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    twins = [f"index_whole-{by}" for by in ("xtable", "delta_by_kernel", "delta_by_standalone")]
    assert taken(of_nested_columns(twins[0]), without(*twins)) == Extents({})
    assert capsys.readouterr().out == "new, XTF-010 or XTF-013: bounds_are_present[index_whole-xtable] at 0.4.0\n"


def test_of_two_the_one_that_has_it_in_another_target_takes_it_in() -> None:
    table = "index_whole-delta_by_kernel"
    assert [*taken(of_nested_columns(table), without(table)).of] == ["XTF-010"]
