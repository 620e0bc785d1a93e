"""Spark itself on some tables: its scanner, and its own SQL as a second opinion on actual values, with its rules."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import fields
from typing import Any

import pytest

from lab.stack.project import ROOT
from tests.xtable_audit.spark.little_work import environment
from tests.xtable_audit.spark.second_opinion import RULES, Comparison, Said, Where

NAN, ZERO = RULES
TABLES = (
    *("types_float_edges_plain", "types_nested_plain", "types_nulls_plain", "types_millis_plain", "delta_vectors"),
    *("types_nan_index", "history_add_column", "edge_delta_blank_names", "delta_by_date"),
)
"""With both zeros, with NaN and structs, of ten types, in milliseconds, with deleted rows, with an evolved schema, with
odd names, with partitions.
"""


@pytest.mark.parametrize(
    ("judge", "spark", "rule"),
    [
        (Said(1, 2, 5, 4), Said(1, 2, 5, 4), None),
        (Said(1.0, 2.0, 5, 4, 1), Said(1.0, math.nan, 5, 4, 1), NAN),
        (Said(None, None, 5, 2, 2), Said(math.nan, math.nan, 5, 2, 2), NAN),
        (Said(-0.0, 0.0, 5, 5), Said(0.0, 0.0, 5, 5), ZERO),
        (Said(-0.0, 0.0, 5, 5), Said(-0.0, -0.0, 5, 5), ZERO),
    ],
)
def test_a_difference_is_explained_by_its_rule_alone(judge: Said, spark: Said, rule: str | None) -> None:
    found = Comparison.of({("file", "c"): judge}, {("file", "c"): spark})
    assert (found.otherwise, +found.explained) == ([], {rule: 1} if rule else {})


@pytest.mark.parametrize(
    ("judge", "spark"),
    [
        (Said(1, 2, 5, 4), Said(1, 3, 5, 4)),
        (Said(1, 2, 5, 4), Said(0, 2, 5, 4)),
        (Said(1, 2, 5, 4), Said(1, 2, 6, 4)),
        (Said(1, 2, 5, 4), Said(1, 2, 5, 5)),
        (Said(1, 2, 5, 4), Said(1.0, 2.0, 5, 4)),
        (Said(1.0, 2.0, 5, 4), Said(1.0, math.nan, 5, 4)),
        (Said(1.0, 2.0, 5, 4, 1), Said(1.0, 2.0, 5, 4, 1)),
        (Said(1.0, 2.0, 5, 4, 1), Said(1.0, math.nan, 5, 4, 2)),
        (Said(1.0, 2.0, 5, 4, 1), Said(math.nan, math.nan, 5, 4, 1)),
        (Said(-0.0, 2.0, 5, 5), Said(1.0, 2.0, 5, 5)),
    ],
)
def test_another_difference_is_found(judge: Said, spark: Said) -> None:
    assert Comparison.of({("file", "c"): judge}, {("file", "c"): spark}).otherwise == [("file", "c")]


@pytest.mark.parametrize(("rows", "otherwise"), [(0, []), (1, [("file", "c")])])
def test_only_a_file_without_rows_may_be_missing(rows: int, otherwise: list[Where]) -> None:
    assert Comparison.of({("file", "c"): Said(None, None, rows, 0)}, {}).otherwise == otherwise


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Spark says of the tables, in one session."""
    command = [
        sys.executable,
        "-m",
        "tests.xtable_audit.spark.on_spark",
        "local[2]",
        str(tmp_path_factory.mktemp("spark")),
        *TABLES,
    ]
    ran = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


@pytest.mark.slow
def test_spark_looks_up_measures_and_counts_as_this_machine_does(said: dict[str, Any]) -> None:
    assert said["scanner"] == {"alike": 3 * len(TABLES), "differing": []}


@pytest.mark.slow
def test_spark_s_sql_says_what_the_judge_says_and_a_spoilt_metric_is_found(said: dict[str, Any]) -> None:
    told = said["sql"]
    assert told["otherwise"] == []
    assert {*told["explained"]} == {NAN, ZERO}
    assert all(told["explained"].values())
    assert told["found spoilt"] == [metric.name for metric in fields(Said)]
