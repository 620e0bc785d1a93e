"""What reading is estimated to cost: on this machine, and on a cluster."""

from __future__ import annotations

import pytest

from benchmarks.listed import listed
from xtable_audit.check.cost import AT_ONCE, LATENCY, REQUESTS, Cost, estimate
from xtable_audit.locate.locate import locate
from xtable_audit.metadata.stored_metrics import StoredMetrics, read_stored_metrics

FILES = 1000


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> StoredMetrics:
    location = listed(tmp_path_factory.mktemp("listed"), FILES)
    return read_stored_metrics(locate(location).objects, location)


def cost(stored: StoredMetrics, *, remote: bool, machines: int | None = None) -> Cost:
    return estimate(stored, stored, remote=remote, on_aws=True, machines=machines)


def test_a_remote_store_takes_a_request_s_time_for_as_many_as_are_under_way(stored: StoredMetrics) -> None:
    told = cost(stored, remote=True)
    assert told.requests >= REQUESTS * FILES
    assert told.seconds >= told.requests * LATENCY / AT_ONCE


@pytest.mark.parametrize("remote", [False, True])
def test_ten_times_the_machines_take_a_tenth_of_the_time(stored: StoredMetrics, remote: bool) -> None:
    few, many = (cost(stored, remote=remote, machines=machines) for machines in (4, 40))
    assert many.seconds == pytest.approx(few.seconds / 10)


def test_a_cluster_asks_for_as_much_as_one_machine(stored: StoredMetrics) -> None:
    here, there = (cost(stored, remote=True, machines=machines) for machines in (None, 40))
    assert (there.requests, there.bytes, there.dollars) == (here.requests, here.bytes, here.dollars)
