"""Metadata that a policy of retention removed is no fault: the newest state is judged, and the report says so."""

from __future__ import annotations

import pytest

from tests.run.conftest import Audit, Ran
from tests.run.retained import TABLE


@pytest.fixture(scope="module")
def ran(audit: Audit) -> Ran:
    return audit("-p", "tests.run.retained", "--readers", "none", "-k", f"{TABLE}-xtable")


@pytest.fixture(scope="module")
def whole(audit: Audit) -> Ran:
    return audit("--readers", "none", "-k", f"{TABLE}-xtable")


def held(ran: Ran) -> set[str]:
    return {test for test, outcome in ran.outcomes().items() if outcome == "held"}


def test_it_is_no_finding(ran: Ran) -> None:
    assert (ran.status, [claim["finding"] for claim in ran.document["claims"] if claim["outcome"] == "finding"]) == (
        0,
        [],
    ), ran.text


def test_the_newest_state_is_judged_by_every_claim_about_one_state(ran: Ran, whole: Ran) -> None:
    """A full sync of what is there already adds nothing: neither its counts nor its operation say anything."""
    of_changes = ("suites/histories", "test_changes_are", "test_operation_is")
    of_one_state = {test for test in held(whole) if not any(part in test for part in of_changes)}
    assert (of_one_state - held(ran), len(of_one_state) > 30) == (set(), True), len(of_one_state)


def test_what_compares_states_that_are_gone_does_not_hold(ran: Ran) -> None:
    outcomes = {test.partition("::")[2]: outcome for test, outcome in ran.outcomes().items()}
    told = outcomes[f"test_incremental_equals_full[{TABLE}-xtable]"]
    assert told not in ("held", "finding"), told


def test_the_report_names_each_state_that_nobody_can_look_at(ran: Ran) -> None:
    gone = [row for row in ran.document["set_aside"] if "a later sync removed that state" in row["reason"]]
    assert len(gone) >= 2, ran.document["set_aside"]
