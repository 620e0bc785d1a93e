"""What reading is estimated to cost: on this machine, and on a cluster."""

from __future__ import annotations

from dataclasses import asdict, replace

import pyarrow as pa
import pytest

from tools.benchmarks.listed import listed
from xtable_audit.check.cost import LATENCY, OF_VECTOR, REQUESTS, ReadCost, estimate
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.locate.locate import locate
from xtable_audit.model.wanted import VECTOR, Vector
from xtable_audit.scan.scanner import Power
from xtable_audit.table.stored_metrics import StoredMetrics

FILES = 1000


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> StoredMetrics:
    location = listed(tmp_path_factory.mktemp("listed"), FILES)
    return read_stored_metrics(locate(location).objects, location)


HERE = Power(2, 64)


def cluster(cores: int) -> Power:
    return Power(cores, 32 * cores, cores)


def cost(stored: StoredMetrics, power: Power, *, remote: bool) -> ReadCost:
    return estimate(stored, stored, power, remote=remote, on_aws=True)


def test_a_remote_store_takes_a_request_s_time_for_as_many_as_are_under_way(stored: StoredMetrics) -> None:
    told = cost(stored, HERE, remote=True)
    assert told.requests >= REQUESTS * FILES
    assert told.seconds >= told.requests * LATENCY / HERE.files


def test_a_file_with_a_deletion_vector_takes_the_requests_for_it_too(stored: StoredMetrics) -> None:
    vectors = pa.array([asdict(Vector("a.bin")), *[None] * (FILES - 1)], VECTOR)
    one = replace(stored, files=stored.files.append_column("vector", vectors))
    assert cost(one, HERE, remote=True).requests == cost(stored, HERE, remote=True).requests + OF_VECTOR


@pytest.mark.parametrize("remote", [False, True])
def test_ten_times_the_machines_take_a_tenth_of_the_time(stored: StoredMetrics, remote: bool) -> None:
    few, many = (cost(stored, cluster(cores), remote=remote) for cores in (4, 40))
    assert many.seconds == pytest.approx(few.seconds / 10)


def test_a_cluster_asks_for_as_much_as_one_machine(stored: StoredMetrics) -> None:
    here, there = (cost(stored, power, remote=True) for power in (HERE, cluster(40)))
    assert (there.requests, there.bytes, there.dollars) == (here.requests, here.bytes, here.dollars)
