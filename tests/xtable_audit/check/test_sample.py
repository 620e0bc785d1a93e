"""How much a check reads: which files of a sample, how many at once, and what that is estimated to cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow as pa
import pytest

from tests.tables.lake import Lake, orders
from tools.benchmarks.synthetic_metadata import listed
from tools.frozen.run import Unwatched
from xtable_audit.check import run
from xtable_audit.check.cost import LATENCY, OF_VECTOR, REQUESTS, ReadCost, estimate
from xtable_audit.check.options import Options
from xtable_audit.check.sample import Sample, draw, within
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.locate.locate import locate
from xtable_audit.locate.stores import AT_ONCE, Stores
from xtable_audit.model.problem import Problem
from xtable_audit.model.scan_input import VECTOR, Vector
from xtable_audit.scan import LocalScanner, Power
from xtable_audit.table.deletions import POSITION, DeleteFile, Deletions
from xtable_audit.table.stored_metrics import StoredMetrics

MANY = 1000
HERE = Power(2, 64)
FILES = 24


@pytest.fixture(scope="module")
def many_files(tmp_path_factory: pytest.TempPathFactory) -> StoredMetrics:
    location = listed(tmp_path_factory.mktemp("listed"), MANY)
    return read_stored_metrics(locate(location).objects, location)


def cluster(cores: int) -> Power:
    return Power(cores, 32 * cores, cores)


def cost(many_files: StoredMetrics, power: Power, *, remote: bool) -> ReadCost:
    return estimate(many_files, many_files, power, remote=remote, on_aws=True)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoredMetrics]:
    """Twelve small files and twelve bigger ones, the small ones first."""
    lake = Lake.at(tmp_path_factory.mktemp("lake"))
    sizes = [5] * (FILES // 2) + [4000] * (FILES // 2)
    lake.table("orders", *(orders(number, rows=rows) for number, rows in enumerate(sizes)))
    found = locate(str(Path(lake.root("orders"))))
    yield read_stored_metrics(found.objects, found.metadata_location)
    lake.catalog.close()


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    made = Lake.at(tmp_path)
    made.table("orders", orders())
    yield made
    made.catalog.close()


# What reading is estimated to cost: on this machine, and on a cluster.


def test_a_remote_store_takes_a_request_s_time_for_as_many_as_are_under_way(many_files: StoredMetrics) -> None:
    told = cost(many_files, HERE, remote=True)
    assert told.requests >= REQUESTS * MANY
    assert told.seconds >= told.requests * LATENCY / HERE.files


def test_a_file_with_a_deletion_vector_takes_the_requests_for_it_too(many_files: StoredMetrics) -> None:
    vectors = pa.array([asdict(Vector("a.bin")), *[None] * (MANY - 1)], VECTOR)
    one = replace(many_files, files=many_files.files.append_column("vector", vectors))
    assert cost(one, HERE, remote=True).requests == cost(many_files, HERE, remote=True).requests + OF_VECTOR


def test_delete_files_take_requests_too_each_once(many_files: StoredMetrics) -> None:
    """A file of vectors is listed for each data file."""
    deletes = [DeleteFile(path, POSITION, "PUFFIN", 1, (0, ())) for path in ("a.bin", "a.bin", "b.bin")]
    some = replace(many_files, deletions=Deletions(tuple(deletes)))
    assert cost(some, HERE, remote=True).requests == cost(many_files, HERE, remote=True).requests + 2 * REQUESTS


@pytest.mark.parametrize("remote", [False, True])
def test_ten_times_the_machines_take_a_tenth_of_the_time(many_files: StoredMetrics, remote: bool) -> None:
    few, many = (cost(many_files, cluster(cores), remote=remote) for cores in (4, 40))
    assert many.seconds == pytest.approx(few.seconds / 10)


def test_a_cluster_asks_for_as_much_as_one_machine(many_files: StoredMetrics) -> None:
    here, there = (cost(many_files, power, remote=True) for power in (HERE, cluster(40)))
    assert (there.requests, there.bytes, there.dollars) == (here.requests, here.bytes, here.dollars)


# Which files a sample reads, and what it may say.


@pytest.mark.parametrize("number", [1, 5, 23])
def test_as_many_files_are_drawn_as_asked(stored: StoredMetrics, number: int) -> None:
    assert len(set(draw(stored, number, 0).drawn)) == number


@pytest.mark.parametrize("number", [FILES, FILES + 7])
def test_no_more_files_are_drawn_than_there_are(stored: StoredMetrics, number: int) -> None:
    assert draw(stored, number, 0).places == tuple(range(FILES))


def test_the_same_seed_draws_the_same_files(stored: StoredMetrics) -> None:
    assert draw(stored, 6, 7) == draw(stored, 6, 7)


def test_another_seed_draws_other_files(stored: StoredMetrics) -> None:
    assert len({draw(stored, 6, seed).drawn for seed in range(5)}) > 1


@pytest.mark.parametrize("seed", range(5))
def test_every_size_has_its_share(stored: StoredMetrics, seed: int) -> None:
    sizes = stored.files["size"].to_pylist()
    big = [place for place in draw(stored, 6, seed).drawn if sizes[place] > sum(sizes) / FILES]
    assert len(big) == 3


def test_each_file_is_as_likely_as_any_other(stored: StoredMetrics) -> None:
    times = [0] * FILES
    for seed in range(2000):
        for place in draw(stored, 6, seed).drawn:
            times[place] += 1
    assert 400 < min(times) <= max(times) < 600  # 500 each, and six standard deviations are 116


def test_a_limit_of_bytes_is_kept(stored: StoredMetrics) -> None:
    sizes = stored.files["size"].to_pylist()
    sample = within(stored, sum(sizes) // 3, 0, FILES)
    assert 0 < sum(sizes[place] for place in sample.places) <= sum(sizes) // 3


def test_a_limit_below_any_file_is_refused(stored: StoredMetrics) -> None:
    with pytest.raises(Problem, match="a data file of the table has more than the 10 bytes"):
        within(stored, 10, 0, FILES)


@pytest.mark.parametrize(
    ("drawn", "words"),
    [
        (3, "So few say nothing about the other files."),
        (30, "A fault that none of the 30 has is in at most 10 % of all files (95 % confidence)."),
        (300, "in at most 1 % of all files"),
    ],
)
def test_a_sample_says_no_more_than_it_shows(drawn: int, words: str) -> None:
    assert words in str(Sample(tuple(range(drawn)), (), 1000, 0))


@pytest.mark.parametrize("n", [30, 100, 300])
def test_three_in_n_is_what_95_percent_of_samples_miss(n: int) -> None:
    assert (1 - 3 / n) ** n < 0.05


# How many files a check reads at once from a remote store.


@pytest.mark.parametrize(
    ("remote", "large", "named", "threads"),
    [
        (True, 1 << 30, None, AT_ONCE),
        (True, 1, None, run.AT_ONCE_OF_LARGE),
        (True, 1, 100, 100),
        (False, 1 << 30, None, None),
        (False, 1 << 30, 100, 100),
    ],
)
def test_a_remote_store_is_asked_for_many_small_files_at_once(
    lake: Lake,
    monkeypatch: pytest.MonkeyPatch,
    *,
    remote: bool,
    large: int,
    named: int | None,
    threads: int | None,
) -> None:
    seen: list[int | None] = []

    class Seen(LocalScanner):
        def measure(self, *arguments: object) -> pa.Table:
            seen.append(self.threads)
            return super().measure(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "LocalScanner", Seen)
    monkeypatch.setattr(run, "LARGE", large)
    root = str(lake.root("orders"))
    run.check(replace(locate(root), is_remote=remote), Options(root, threads=named), Unwatched())
    assert seen == [threads]


@pytest.mark.parametrize(
    ("address", "asked", "before", "after"),
    [("s3://b/t", 70, 8, 70), ("s3://b/t", 70, 100, 100), ("/lake/t", 70, 8, 8)],
)
def test_arrow_opens_as_many_connections_to_a_remote_store(
    address: str, asked: int, before: int, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It opens as many as it has threads for input and output."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
    was = pa.io_thread_count()
    pa.set_io_thread_count(before)
    try:
        Stores(at_once=asked).objects(address)
        assert pa.io_thread_count() == after
    finally:
        pa.set_io_thread_count(was)
