"""Each table once, written by its script in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest

from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import stack
from spark_jobs.columns import LAYOUT_BUCKET, PICKUP_MONTH, YELLOW
from spark_jobs.launch import run
from spark_jobs.recipes import RECIPES
from spark_jobs.volume import month_counts, total_rows
from tests.kept import kept
from xtable_audit.model.problem import Problem

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCALE = 0.001
Written = tuple[dict[str, Any], Path]
"""The script's JSON and the table's folder."""


def launch(folder: Path, name: str, scale: float = SCALE, timeout: float = 300) -> dict[str, Any]:
    """What the script reports."""
    return run(
        RECIPES[name], str(folder), None,
        scale=scale, seed=7, tlc=None, year=2023,
        jars=resolve_spark_jars(stack()), java_home=find_java(stack().java),
        log=folder.with_suffix(".log"), timeout=timeout,
    )  # fmt: skip


@pytest.fixture(scope="module", params=list(RECIPES))
def written(request: pytest.FixtureRequest) -> Written:
    folder, facts = kept(launch, RECIPES[request.param].module, name=request.param, scale=SCALE)
    return facts, folder


def data_files(folder: Path) -> list[ds.Dataset]:
    """Every data file by itself."""
    return [ds.dataset(path) for path in sorted(folder.rglob("*.parquet")) if ".hoodie" not in path.parts]


def test_the_script_reports_the_rows_and_files_it_wrote(written: Written) -> None:
    facts, _ = written
    assert (facts["rows"], facts["files"]) == (total_rows(SCALE), 4)


def test_the_table_holds_the_rows(written: Written) -> None:
    _, folder = written
    assert sum(file.count_rows() for file in data_files(folder)) == total_rows(SCALE)


def test_the_script_reports_the_versions_that_wrote(written: Written) -> None:
    facts, _ = written
    assert facts["versions"].keys() == {"spark", "java", "hadoop", RECIPES[facts["dataset"]].format.lower()}


def test_the_layout_is_the_datasets(written: Written) -> None:
    facts, folder = written
    months = [set(file.to_table([PICKUP_MONTH])[PICKUP_MONTH].to_pylist()) for file in data_files(folder)]
    if facts["dataset"] == "bad_layout":
        assert all(file >= {"2023-01", "2023-02", "2023-03"} for file in months)
    else:
        assert sorted(month for file in months for month in file) == sorted(month_counts(SCALE))


def test_every_file_but_the_bad_layouts_is_sorted_by_pickup_time(written: Written) -> None:
    facts, folder = written
    pickups = [file.to_table([YELLOW.pickup])[YELLOW.pickup].to_pylist() for file in data_files(folder)]
    assert all(times == sorted(times) for times in pickups) == (facts["dataset"] != "bad_layout")


def test_the_columns_are_the_datasets(written: Written) -> None:
    facts, folder = written
    extra = {LAYOUT_BUCKET} if facts["dataset"] == "bad_layout" else set()
    names = {name for name in data_files(folder)[0].schema.names if not name.startswith("_hoodie")}
    assert names == {*YELLOW.columns, PICKUP_MONTH} | extra


def test_no_file_carries_a_large_bloom_filter(written: Written) -> None:
    _, folder = written
    assert max(path.stat().st_size for path in folder.rglob("*.parquet")) < 200_000


def test_a_place_that_is_not_empty_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(Problem, match="is not empty: name an empty place"):
        launch(tmp_path, "good_layout")


def test_a_job_that_takes_too_long_is_ended_and_reported(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"Writing good_layout took more than 2 s and was ended"):
        launch(tmp_path / "table", "good_layout", timeout=2)
