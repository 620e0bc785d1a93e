"""A store that cuts, refuses, changes or lies accuses no healthy table: at worst the check is inconclusive."""

from __future__ import annotations

import math

import pytest

from lab.store.running import RunningStore
from tests.hostile.stores import FAULTS, Faulty, serving
from tests.hostile.table import Hostile
from tests.hostile.test_stores import judged, put
from xtable_audit.model.limits import Patience
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.problem import Unreachable

ONCE = {"503": 0, "cut": 0}
"""Faults that the client itself asks again for."""


def outcome(
    hostile: Hostile,
    moto_store: RunningStore,
    bucket: str,
    fault: str,
    ends: str = ".parquet",
    times: float = math.inf,
) -> tuple[int, int]:
    """The exit status, and how many answers had the fault."""
    location = put(hostile, moto_store, bucket)
    store = Faulty(str(moto_store.store.endpoint), fault, ends, times)
    with serving(store) as served:
        try:
            document = judged(location, served.endpoint, Patience(5.0, 30.0))
        except Unreachable:
            return 6, store.seen
    assert not [one for one in document.claims if one.outcome is Outcome.FINDING], fault
    return document.exit_status, store.seen


@pytest.mark.parametrize("ends", [".parquet", ".avro"], ids=["of data files", "of manifests"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_comes_once_accuses_no_table(
    hostile: Hostile, moto_store: RunningStore, fault: str, ends: str
) -> None:
    bucket = f"once-{FAULTS.index(fault)}{ends.replace('.', '-')}"
    status, seen = outcome(hostile, moto_store, bucket, fault, ends, 1)
    assert status == ONCE[fault] if fault in ONCE else status in (0, 6)
    assert seen > 0 or (fault, ends) == ("a HEAD that lies", ".avro")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_stays_is_inconclusive(hostile: Hostile, moto_store: RunningStore, fault: str) -> None:
    status, seen = outcome(hostile, moto_store, f"always-{FAULTS.index(fault)}", fault)
    assert (status, seen > 0) == (6, True)


def test_without_a_fault_the_table_is_healthy(hostile: Hostile, moto_store: RunningStore) -> None:
    assert outcome(hostile, moto_store, "no-fault", "503", times=0)[0] == 0
