"""Which files a sample reads, and what it may say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.tables import Lake, orders
from xtable_audit.check.sample import Sample, draw, within
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.locate.locate import locate
from xtable_audit.model.problem import Problem
from xtable_audit.table.stored_metrics import StoredMetrics

FILES = 24


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoredMetrics]:
    """Twelve small files and twelve bigger ones, the small ones first."""
    lake = Lake.at(tmp_path_factory.mktemp("lake"))
    sizes = [5] * (FILES // 2) + [4000] * (FILES // 2)
    lake.table("orders", *(orders(number, rows=rows) for number, rows in enumerate(sizes)))
    found = locate(str(Path(lake.root("orders"))))
    yield read_stored_metrics(found.objects, found.metadata_location)
    lake.catalog.close()


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
