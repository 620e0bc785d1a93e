"""The tables at the edges: they are where their descriptions say, in words and as recorded; docs/edges.md has all."""

from __future__ import annotations

import json
import re
from collections import Counter
from fnmatch import filter
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lab.provision.data_files import data_files
from lab.provision.dataset import STAGES
from lab.stack.cache import Cache
from lab.stack.project import ROOT
from spark_jobs.battery import edges, edges_of_columns, edges_of_numbers, edges_of_values
from spark_jobs.battery.edges import COMMITS
from spark_jobs.battery.edges_of_numbers import FILES_IN_ONE, PARTS, PARTS_OF_DELTA, ROUND
from spark_jobs.battery.edges_tried import page
from spark_jobs.battery.table import Write
from spark_jobs.battery.tables import BATTERY
from spark_jobs.battery.timeline import completed
from xtable.replay import BATTERY_RECORDINGS, SOURCES, unpacked

EDGES = {
    table.name: table
    for family in (edges, edges_of_columns, edges_of_numbers, edges_of_values)
    for table in family.TABLES
}
PAGE = (ROOT / "docs" / "edges.md").read_text(encoding="utf-8")
BY_THEMSELVES = 32
"""Columns that Delta and Hudi 1.x keep statistics of unless told otherwise."""
OF_ICEBERG = 100
"""Columns that Iceberg's own writers keep metrics of unless told otherwise."""


def first(name: str) -> Write:
    action = BATTERY[name].steps[0].action
    assert isinstance(action, Write)
    return action


@cache
def packed() -> Path:
    return unpacked(BATTERY_RECORDINGS, Cache()) / SOURCES


def stages(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((packed() / f"{name}.{STAGES}").read_text(encoding="utf-8"))
    return found


def test_a_partition_has_more_than_a_thousand_files() -> None:
    """Each row is a file of its own."""
    action = first("edge_delta_many_files")
    assert action.options == {"maxRecordsPerFile": "1"}
    assert Counter(part for one in action.files for part in one.columns["part"])["a"] > 1000


@pytest.mark.parametrize("name", ["edge_no_rows", "edge_delta_no_rows"])
def test_a_first_commit_has_no_row(name: str) -> None:
    assert sum(one.rows for one in first(name).files) == 0


@pytest.mark.parametrize("name", ["edge_many_commits", "edge_archived", "edge_delta_many_commits"])
def test_a_dozen_commits_are_seen_at_once(name: str) -> None:
    assert [number for number, step in enumerate(BATTERY[name].steps) if step.staged] == [0, COMMITS]


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("edge_index_limit", BY_THEMSELVES),
        ("edge_delta_stats_limit", BY_THEMSELVES),
        ("edge_hundred_columns", OF_ICEBERG),
        ("edge_thousand_columns", 1000),
    ],
)
def test_a_table_has_more_columns_than_the_limit(name: str, limit: int) -> None:
    assert len(first(name).schema) > limit + len(("record_key", "part"))


@pytest.mark.parametrize("sign", [".", " ", "ö", "名", "U", "😀"])
def test_a_column_name_of_the_edges_has_the_sign(sign: str) -> None:
    assert any(sign in name for table in EDGES if "names" in table for name in first(table).schema.names)


@pytest.mark.parametrize("name", ["edge_depths", "edge_delta_depths"])
def test_one_name_is_at_three_depths(name: str) -> None:
    schema = first(name).schema
    outer = schema.field("st").type
    assert "n" in schema.names
    assert [outer.field("n").type, outer.field("in").type.field("n").type] == [pa.int32(), pa.int32()]


@pytest.mark.parametrize("name", ["edge_blanks", "edge_delta_blanks"])
@pytest.mark.parametrize("column", ["part", "s"])
def test_values_have_blanks_at_either_end(name: str, column: str) -> None:
    values = [str(value) for one in first(name).files for value in one.columns[column]]
    assert [value for value in values if value.startswith(" ") and value.rstrip() == value]
    assert [value for value in values if value.endswith(" ") and value.lstrip() == value]


# --- the page


def named(text: str) -> list[str]:
    """The tables and patterns of tables in the text."""
    families = "|".join(sorted({re.escape(name.partition("_")[0]) for name in BATTERY}))
    return re.findall(rf"`((?:{families})_[\w*]+)`", text)


def test_a_table_of_the_page_is_in_the_battery() -> None:
    assert not [name for name in named(PAGE) if not filter(BATTERY, name)]


def test_every_table_of_the_edges_is_on_the_page() -> None:
    assert {*EDGES} <= {*named(PAGE)}


def test_the_page_has_what_the_command_lists() -> None:
    assert page() in PAGE


def test_the_page_names_every_family_of_claims() -> None:
    families = {path.name for path in (ROOT / "suites").iterdir() if path.is_dir() and any(path.glob("test_*.py"))}
    assert not [family for family in families if f"`{family}`" not in PAGE]


# The tables made for edges of numbers are there as they were written, not by their definitions alone.


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
