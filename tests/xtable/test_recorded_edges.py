"""The tables made for edges of numbers are there as they were written, not by their definitions alone."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from lab.provision.data_files import data_files
from lab.provision.stages import STAGES
from lab.stack.cache import Cache
from spark_jobs.battery.edges_of_numbers import FILES_IN_ONE, PARTS, PARTS_OF_DELTA, ROUND
from spark_jobs.battery.timeline import completed
from xtable.archive import unpacked
from xtable.replay import BATTERY_RECORDINGS, SOURCES


@cache
def packed() -> Path:
    return unpacked(BATTERY_RECORDINGS, Cache()) / SOURCES


def stages(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((packed() / f"{name}.{STAGES}").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", ["edge_round_counts", "edge_delta_round_counts"])
def test_files_have_ten_twenty_and_a_hundred_rows(name: str) -> None:
    rows = [pq.read_metadata(packed() / name / path).num_rows for path in data_files(packed() / name)]
    assert sorted(rows) == sorted([*ROUND, ROUND[0]])


@pytest.mark.parametrize(("name", "parts"), [("edge_many_parts", PARTS), ("edge_delta_many_parts", PARTS_OF_DELTA)])
def test_files_are_in_many_partitions(name: str, parts: int) -> None:
    first, last = stages(name)
    assert len({path.partition("/")[0] for path in first["base_files"]}) == parts
    assert len({path.partition("/")[0] for path in last["base_files"]}) == parts + 1


def test_one_partition_has_many_files() -> None:
    parts = [path.partition("/")[0] for path in stages("edge_many_parts")[0]["base_files"]]
    assert max(map(parts.count, parts)) == FILES_IN_ONE


@pytest.mark.parametrize("name", ["edge_nothing_between", "edge_delta_nothing_between"])
def test_a_commit_between_others_changes_no_file(name: str) -> None:
    before, nothing, after, *_ = stages(name)
    assert nothing["base_files"] == before["base_files"]
    assert len(after["base_files"]) > len(nothing["base_files"])


def test_a_commit_without_a_row_is_on_the_timeline() -> None:
    assert len(completed(packed() / "edge_nothing_between")) == 5


def test_all_commits_are_in_one_second() -> None:
    instants = completed(packed() / "edge_one_second")
    assert len(instants) == 5
    assert len({instant[:14] for instant in instants}) == 1


def test_the_first_sync_finds_logs_over_base_files() -> None:
    first, *_ = stages("mor_base_and_log")
    assert first["base_files"]
    assert first["snapshot_rows"] < first["rows"]
