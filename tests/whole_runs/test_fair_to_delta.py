"""Delta tables that XTable did not write pass every claim, and a fault of the control is the control's alone."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.whole_runs.run import Audit, Ran
from xtable_audit.model.subject_id import NATIVE_DELTA

CONTROL, XTABLE = "good_layout-delta_by_control", "good_layout-delta_by_kernel"
BOUNDS = "bounds_are_present"


def audited(audit: Audit, selected: str, *options: str, **environment: str) -> Ran:
    return audit("--target=delta", "--readers=none", "-k", selected, *options, environment=environment)


HEALTHY = (CONTROL, "bad_layout-delta_by_control", "plain_types-delta_by_control", NATIVE_DELTA)


@pytest.fixture(scope="module")
def healthy(audit: Audit) -> Ran:
    return audited(audit, " or ".join(HEALTHY))


@pytest.mark.parametrize("table", HEALTHY)
def test_every_claim_that_applies_holds(healthy: Ran, table: str) -> None:
    outcomes = Counter(one["outcome"] for one in healthy.document["claims"] if one["table"] == table)
    assert (healthy.status, set(outcomes)) == (0, {"held", "not_applicable"}), healthy.text
    assert outcomes["held"] > 20


SPOILT = {
    "the control alone": ("delta_by_control/good_layout", {CONTROL: "control"}),
    "XTable alone": ("delta_by_kernel/good_layout", {XTABLE: "xtable"}),
}


@pytest.mark.parametrize(("spoilt", "blamed"), SPOILT.values(), ids=SPOILT)
def test_a_missing_bound_is_the_fault_of_what_left_it_out(audit: Audit, spoilt: str, blamed: dict[str, str]) -> None:
    selected = f"good_layout and {BOUNDS}"
    ran = audited(audit, selected, "-p", "tests.whole_runs.spoilt", SPOILT=f"{spoilt}:VendorID")
    found = {one["table"]: one["finding"]["blame"] for one in ran.document["claims"] if one["finding"]}
    assert (ran.status, found) == (1, blamed), ran.text
