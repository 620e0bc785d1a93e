"""Each table once, written by its script in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest

from spark_jobs.columns import LAYOUT_BUCKET, PICKUP_MONTH, YELLOW
from spark_jobs.launch import run
from spark_jobs.recipes import RECIPES
from spark_jobs.volume import month_counts, total_rows
from stack.problem import Problem

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCALE = 0.001
Launch = Callable[..., dict[str, Any]]
Written = tuple[dict[str, Any], Path]
"""The script's JSON and the table's folder."""


@pytest.fixture(scope="module")
def launch(jars: tuple[Path, ...], java_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Launch:
    log = tmp_path_factory.mktemp("logs") / "job.log"

    def launch(name: str, target: Path, timeout: float = 300) -> dict[str, Any]:
        return run(
            RECIPES[name], str(target), None,
            scale=SCALE, seed=7, tlc=None, year=2023, jars=jars, java_home=java_home, log=log, timeout=timeout,
        )  # fmt: skip

    return launch


@pytest.fixture(scope="module", params=list(RECIPES))
def written(request: pytest.FixtureRequest, launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The script's JSON and the table's folder."""
    folder = tmp_path_factory.mktemp(request.param)
    return launch(request.param, folder), folder


def data_files(folder: Path) -> list[ds.Dataset]:
    """Every data file by itself."""
    return [ds.dataset(path) for path in sorted(folder.rglob("*.parquet")) if ".hoodie" not in path.parts]


def test_the_script_tells_the_rows_and_files_it_wrote(written: Written) -> None:
    told, _ = written
    assert (told["rows"], told["files"]) == (total_rows(SCALE), 4)


def test_the_table_holds_the_rows(written: Written) -> None:
    _, folder = written
    assert sum(file.count_rows() for file in data_files(folder)) == total_rows(SCALE)


def test_the_script_tells_the_versions_that_wrote(written: Written) -> None:
    told, _ = written
    assert told["versions"].keys() == {"spark", "java", "hadoop", RECIPES[told["dataset"]].format.lower()}


def test_the_layout_is_the_datasets(written: Written) -> None:
    told, folder = written
    months = [set(file.to_table([PICKUP_MONTH])[PICKUP_MONTH].to_pylist()) for file in data_files(folder)]
    if told["dataset"] == "bad_layout":
        assert all(file >= {"2023-01", "2023-02", "2023-03"} for file in months)
    else:
        assert sorted(month for file in months for month in file) == sorted(month_counts(SCALE))


def test_every_file_but_the_bad_layouts_is_sorted_by_pickup_time(written: Written) -> None:
    told, folder = written
    pickups = [file.to_table([YELLOW.pickup])[YELLOW.pickup].to_pylist() for file in data_files(folder)]
    assert all(times == sorted(times) for times in pickups) == (told["dataset"] != "bad_layout")


def test_the_columns_are_the_datasets(written: Written) -> None:
    told, folder = written
    extra = {LAYOUT_BUCKET} if told["dataset"] == "bad_layout" else set()
    names = {name for name in data_files(folder)[0].schema.names if not name.startswith("_hoodie")}
    assert names == {*YELLOW.columns, PICKUP_MONTH} | extra


def test_no_file_carries_a_large_bloom_filter(written: Written) -> None:
    _, folder = written
    assert max(path.stat().st_size for path in folder.rglob("*.parquet")) < 200_000


def test_a_place_that_is_not_empty_is_told(launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(Problem, match="is not empty: name an empty place"):
        launch("good_layout", tmp_path)


def test_a_job_that_takes_too_long_is_ended_and_told(launch: Launch, tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"Writing good_layout took more than 2 s and was ended"):
        launch("good_layout", tmp_path, timeout=2)
