"""A sync that fails in the middle of a history is reported, and one that succeeds is not."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from fixtures.expect import Expectation
from fixtures.expect_table import of_case
from lab.provision.plan import Plan
from tests.audit.conftest import TableOf, table_of
from tests.run.tables import table_with
from xtable_audit.claims.translation.history import every_sync_comes_through
from xtable_audit.model.finding import Blame, FindingError, Verdict
from xtable_audit.model.sync import Sync
from xtable_audit.subject.case import State

__all__ = ["table_of"]


def expectation(case: Any) -> Expectation:
    table = table_with("history_upsert-xtable", case, "s3://x", mode="live")
    session: Any = SimpleNamespace(plan=Plan())
    item: Any = SimpleNamespace(nodeid="suites/x.py::test_y", stash={})
    return Expectation(session, table, item)


def of_history(table_of: TableOf, *failures: str | None) -> Expectation:
    case = table_of("native_iceberg").case
    syncs = [Sync("incremental", "0.4.0", case.stored.metadata_location, words) for words in failures]
    return expectation(replace(case, history=tuple(State(sync, "upsert", case.stored, {}, None) for sync in syncs)))


def test_a_history_without_failure_is_as_expected(table_of: TableOf) -> None:
    of_history(table_of, None, None).settle(of_case, every_sync_comes_through)


def test_a_failure_amid_a_history_is_a_finding_in_the_releases_own_words(table_of: TableOf) -> None:
    with pytest.raises(FindingError) as raised:
        of_history(table_of, None, "Recursive update", None).settle(of_case, every_sync_comes_through)
    finding = raised.value.finding
    assert (finding.verdict, finding.blame) == (Verdict.UNREADABLE, Blame.XTABLE)
    assert finding.saw == "Recursive update after upsert (1 of 3 syncs fail)"


@pytest.mark.parametrize(("begun_by", "held"), [("0.4.0", True), ("0.3.0", False)], ids=["alone", "in place"])
def test_the_first_sync_of_an_upgrade_in_place_is_another_releases(
    table_of: TableOf, begun_by: str, held: bool
) -> None:
    case = table_of("native_iceberg").case
    failed, later = Sync("first", begun_by, "", "no luck"), Sync("incremental", "0.4.0", "")
    history = tuple(State(sync, "bulk insert", None, {}, None) for sync in (failed, later))
    expected = expectation(replace(case, history=history))
    if not held:
        expected.settle(of_case, every_sync_comes_through)
        return
    with pytest.raises(FindingError, match="1 of 2 syncs fail"):
        expected.settle(of_case, every_sync_comes_through)
