"""Readers and planners are asked about tables of their formats alone."""

from __future__ import annotations

import re

import pytest

from lab.engines.readers import ADAPTERS, readers_of
from tests.run.conftest import Audit
from xtable_audit.model.planner import JAVA
from xtable_audit.model.subject_id import DELTA, ICEBERG, SubjectId
from xtable_audit.planning.planners import planners

TARGETS = {ICEBERG: {ICEBERG}, DELTA: {DELTA}, "all": {ICEBERG, DELTA}}
ASKED = {**{name: adapter.formats for name, adapter in ADAPTERS.items()}, **planners()}
TEST = re.compile(
    r"(test_readers|test_grid|test_pruning)\.py::\w+\[(\w+(?:-\w+)??)-(" + "|".join(ASKED) + r")(?:-\w+)?\]"
)


@pytest.mark.parametrize("target", TARGETS)
def test_each_is_asked_about_tables_of_its_formats(audit: Audit, target: str) -> None:
    ran = audit(f"--target={target}", "--readers=all", "--collect-only", "-q", "suites/selection")
    found = {(where, SubjectId.parse(table).target, one) for where, table, one in TEST.findall(ran.text)}
    assert {format for _, format, _ in found} == TARGETS[target], ran.text
    assert [pair for pair in found if pair[1] not in ASKED[pair[2]]] == []
    asked = {one for where, _, one in found if where == "test_readers"}
    assert asked == {*readers_of(*TARGETS[target])}
    planning = {one for where, _, one in found if where == "test_pruning"}
    fitting = {name for name, formats in planners().items() if {*formats} & TARGETS[target]}
    assert planning == fitting - {JAVA}  # which a recorded run leaves out
