"""A table that must be refused: its syncs as the suite holds them against its entry."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from audit.finding import Blame, FindingError, Verdict
from fixtures.expect import Expectation
from fixtures.expect_refusal import RefusalExpectation
from fixtures.history import Synced
from fixtures.plan import Plan
from fixtures.tables import IN_BATTERY, REFUSED, UPGRADED, Table
from spark_jobs.battery.tables import BATTERY

NAME = "upgrade_taken_120"
SAID = "java.lang.IllegalArgumentException"
OLD = "s3://b/t/metadata/v2.metadata.json"
FIRST = Synced(0, "first", "0.4.0", OLD, None, "", 0.1)
REFUSAL = Synced(1, "incremental", "0.4.0", OLD, SAID, "", 0.0)
IDLE, FULL = replace(REFUSAL, kind="idle"), replace(REFUSAL, kind="full")


def expectation(*syncs: Synced) -> RefusalExpectation:
    table = Table(f"{NAME}-xtable", NAME, "xtable", "live", OLD, None, None, {"xtable": "0.4.0"}, syncs=syncs)
    bench: Any = SimpleNamespace(plan=Plan())
    item: Any = SimpleNamespace(nodeid="suites/x.py::test_y", stash={})
    return RefusalExpectation(Expectation(bench, table, item))


def test_an_upgrade_that_every_later_sync_refuses_is_as_expected() -> None:
    expectation(FIRST, REFUSAL, IDLE, FULL).is_told_and_leaves_nothing()


def test_a_success_after_the_upgrade_is_a_finding() -> None:
    with pytest.raises(FindingError) as raised:
        expectation(FIRST, REFUSAL, IDLE, replace(FULL, failure=None)).is_told_and_leaves_nothing()
    finding = raised.value.finding
    assert (finding.verdict, finding.blame) == (Verdict.FAILED_SILENTLY, Blame.XTABLE)
    assert finding.saw.startswith("SUCCESS after a write that upgrades the table to version 9 (full sync)")


def test_the_worst_is_told_first() -> None:
    other = replace(REFUSAL, failure="java.net.ConnectException")
    with pytest.raises(FindingError) as raised:
        expectation(FIRST, other, replace(IDLE, failure=None)).is_told_and_leaves_nothing()
    assert raised.value.finding.verdict is Verdict.FAILED_SILENTLY
    assert raised.value.finding.saw.endswith("(2 such)")


def test_tables_to_be_refused_are_held_against_no_other_claim() -> None:
    assert not {*REFUSED} & {*IN_BATTERY}
    assert {*UPGRADED} < {*REFUSED}
    assert len(REFUSED) == sum(table.refused is not None for table in BATTERY.values())
