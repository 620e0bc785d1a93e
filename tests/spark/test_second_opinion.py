"""Spark's own SQL as a second opinion on actual values: its rules, and Spark itself on some tables."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from tests.spark.little_work import environment
from tests.spark.second_opinion import RULES, Comparison, Said, Where

NAN, ZERO = RULES
TABLES = ("types_float_edges_plain", "types_nested_plain", "types_nulls_plain", "types_millis_plain", "delta_vectors")
"""With both zeros, with NaN and structs, of ten types, in milliseconds, with deleted rows."""


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


@pytest.mark.slow
def test_spark_s_sql_says_what_the_judge_says_and_a_spoilt_metric_is_found(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.spark.by_sql", "local[2]", str(tmp_path), *TABLES]
    ran = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    told = json.loads(ran.stdout)
    assert told["otherwise"] == []
    assert {*told["explained"]} == {NAN, ZERO}
    assert all(told["explained"].values())
    assert told["found spoilt"] == [metric.name for metric in fields(Said)]
