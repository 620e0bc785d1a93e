"""Syncs as the suite holds them against a table's entry: of a history, or of a table that must be refused."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from fixtures.expect import Expectation, refuses
from fixtures.expect_table import of_case, of_refusal
from lab.provision.catalogue import Catalogue
from lab.provision.plan import Plan
from lab.subjects.groups import IN_BATTERY, REFUSED
from spark_jobs.battery.tables import BATTERY
from tests.audit.conftest import TableOf, table_of
from tests.run.tables import table_with
from xtable_audit.claims.translation.history import every_sync_comes_through
from xtable_audit.claims.translation.refusal import a_version_that_cannot_be_read_is_refused as is_refused
from xtable_audit.model.finding import Blame, FindingError, Verdict
from xtable_audit.model.sync import Sync
from xtable_audit.subject.case import State

__all__ = ["table_of"]
NAME = "upgrade_taken_120"
SAID = "java.lang.IllegalArgumentException"
OLD = "s3://b/t/metadata/v2.metadata.json"
FIRST = Sync("first", "0.4.0", OLD)
REFUSAL = Sync("incremental", "0.4.0", OLD, SAID, stage=1)
IDLE, FULL = replace(REFUSAL, kind="idle"), replace(REFUSAL, kind="full")
NEVER = "v8_native"
"""Of a version that cannot be read, from its first stage on."""


def expectation_of(case: Any) -> Expectation:
    table = table_with("history_upsert-xtable", case, "s3://x", mode="live")
    session: Any = SimpleNamespace(plan=Plan())
    item: Any = SimpleNamespace(nodeid="suites/x.py::test_y", stash={})
    return Expectation(session, table, item)


def of_history(table_of: TableOf, *failures: str | None) -> Expectation:
    case = table_of("native_iceberg").case
    syncs = [Sync("incremental", "0.4.0", case.stored.metadata_location, words) for words in failures]
    return expectation_of(replace(case, history=tuple(State(sync, "upsert", case.stored, {}, None) for sync in syncs)))


def expectation(*syncs: Sync, name: str = NAME, release: str = "0.4.0") -> Expectation:
    table = table_with(f"{name}-xtable", None, OLD, mode="live", syncs=syncs, versions={"xtable": release})
    session: Any = SimpleNamespace(plan=Plan(), disk=SimpleNamespace(files=lambda prefix: {}))
    item: Any = SimpleNamespace(nodeid="suites/x.py::test_y", stash={})
    return Expectation(session, table, item)


# A sync that fails in the middle of a history is reported, and one that succeeds is not.


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
    expected = expectation_of(replace(case, history=history))
    if not held:
        expected.settle(of_case, every_sync_comes_through)
        return
    with pytest.raises(FindingError, match="1 of 2 syncs fail"):
        expected.settle(of_case, every_sync_comes_through)


# A table that must be refused: its syncs as the suite holds them against its entry.


def test_an_upgrade_that_every_later_sync_refuses_is_as_expected() -> None:
    expectation(FIRST, REFUSAL, IDLE, FULL).settle(of_refusal, is_refused)


def test_a_success_after_the_upgrade_is_a_finding() -> None:
    with pytest.raises(FindingError) as raised:
        expectation(FIRST, REFUSAL, IDLE, replace(FULL, failure=None)).settle(of_refusal, is_refused)
    finding = raised.value.finding
    assert (finding.verdict, finding.blame) == (Verdict.FAILED_SILENTLY, Blame.XTABLE)
    assert finding.saw.startswith("SUCCESS after a write that upgrades the table to version 9 (full sync)")


def test_the_worst_is_reported_first() -> None:
    other = replace(REFUSAL, failure="java.net.ConnectException")
    with pytest.raises(FindingError) as raised:
        expectation(FIRST, other, replace(IDLE, failure=None)).settle(of_refusal, is_refused)
    assert raised.value.finding.verdict is Verdict.FAILED_SILENTLY
    assert raised.value.finding.saw.endswith("(2 such)")


def test_tables_to_be_refused_are_in_the_battery() -> None:
    """Every claim judges them once a release reads them."""
    ids = Catalogue(Plan()).ids
    assert {*ids(REFUSED)} <= {*ids(IN_BATTERY)}
    assert len(ids(REFUSED)) == sum(table.refused is not None for table in BATTERY.values())


BEGUN = replace(FIRST, release="0.3.0")
"""By the release before the upgrade in place."""

UNREAD = tuple(replace(one, stage=0, metadata_location="") for one in (REFUSAL, IDLE, FULL))
"""What the release under audit makes of a table that it never could read."""


def test_a_table_upgraded_after_another_release_began_it_is_refused_and_left() -> None:
    """XTable and the source are upgraded together: what the old release made of the old version stays."""
    expectation(BEGUN, REFUSAL, REFUSAL, IDLE, FULL).settle(of_refusal, is_refused)


def test_a_refusal_that_touches_what_another_release_began_is_a_finding() -> None:
    touched = replace(REFUSAL, metadata_location=OLD.replace("v2", "v3"))
    with pytest.raises(FindingError, match=r"v3\.metadata\.json after a write that upgrades the table"):
        expectation(BEGUN, touched, REFUSAL, IDLE, FULL).settle(of_refusal, is_refused)


def test_a_first_sync_that_the_release_before_failed_at_is_a_finding() -> None:
    """It could read the table then."""
    later = [replace(one, metadata_location="") for one in (REFUSAL, REFUSAL, IDLE, FULL)]
    with pytest.raises(FindingError, match="no luck after eight files in three states"):
        expectation(replace(BEGUN, failure="no luck", metadata_location=""), *later).settle(of_refusal, is_refused)


def test_a_table_that_both_releases_refuse_is_as_expected() -> None:
    first = replace(UNREAD[0], kind="first", release="0.3.0")
    expectation(first, *UNREAD, name=NEVER).settle(of_refusal, is_refused)


def read_by(release: str, *before: Sync) -> Expectation:
    """It comes through where all known releases refuse."""
    syncs = [replace(one, failure=None, metadata_location=OLD, release=release) for one in UNREAD]
    return expectation(*before, *syncs, name=NEVER, release=release)


def test_a_known_release_that_reads_it_is_a_finding() -> None:
    with pytest.raises(FindingError) as raised:
        read_by("0.4.0").settle(of_refusal, is_refused)
    assert raised.value.finding.verdict is Verdict.FAILED_SILENTLY


@pytest.mark.parametrize("before", [(), (replace(UNREAD[0], kind="first", release="0.4.0"),)], ids=["alone", "upgrade"])
def test_an_unknown_release_that_reads_it_need_not_refuse_it(before: tuple[Sync, ...]) -> None:
    """Every other claim judges what it wrote."""
    with pytest.raises(pytest.skip.Exception, match=r"not applicable: XTable 0\.5\.0 reads the table"):
        read_by("0.5.0", *before).settle(of_refusal, is_refused)


OF_A_COLUMN = "java.lang.ClassCastException: class java.lang.Integer cannot be cast to class java.lang.Long"


@pytest.mark.parametrize(
    ("release", "failure", "refused"),
    [
        ("0.4.0", OF_A_COLUMN, True),
        ("0.5.0", OF_A_COLUMN, False),
        ("0.5.0", SAID, True),
        ("0.5.0", None, False),
    ],
    ids=["a known release fails", "an unknown one fails at something else", "it says so", "it reads the table"],
)
def test_an_unknown_release_refuses_a_table_only_where_it_says_so(
    release: str, failure: str | None, refused: bool
) -> None:
    """What else it fails at is judged by every other claim."""
    syncs = [replace(one, failure=failure, release=release) for one in UNREAD]
    assert refuses(expectation(*syncs, name=NEVER, release=release).table) is refused
