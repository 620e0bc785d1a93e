"""A refusal passes only with the expected message, and only if the target stays as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from xtable_audit.claims.translation.refusal import offences, remains
from xtable_audit.model.finding import Verdict
from xtable_audit.model.sync import Sync

WORDS = "java.lang.IllegalArgumentException"
OLD = "s3://b/t/metadata/v2.metadata.json"
STAGES = ("eight files", "an upgrade")
SYNCED = Sync("first", "0.4.0", OLD)
REFUSED = Sync("incremental", "0.4.0", OLD, f"{WORDS}: no", stage=1)
NEVER = replace(REFUSED, metadata_location="")


def verdicts(*syncs: Sync) -> list[Verdict]:
    return [offence.verdict for offence in offences(syncs, STAGES, 2, WORDS)]


def test_a_table_refused_from_the_start_is_as_expected() -> None:
    assert verdicts(NEVER, NEVER) == []


def test_an_upgraded_table_refused_with_the_old_one_left_is_as_expected() -> None:
    assert verdicts(SYNCED, REFUSED, REFUSED) == []


@pytest.mark.parametrize("before", [[], [SYNCED]], ids=["never_read", "upgraded"])
def test_success_where_a_refusal_is_due_fails_silently(before: list[Sync]) -> None:
    sync = REFUSED if before else NEVER
    assert verdicts(*before, replace(sync, failure=None)) == [Verdict.FAILED_SILENTLY]


def test_a_refusal_for_another_reason_is_reported() -> None:
    assert verdicts(replace(NEVER, failure="java.net.ConnectException")) == [Verdict.UNREADABLE]


@pytest.mark.parametrize("left", ["", "s3://b/t/metadata/v3.metadata.json"], ids=["gone", "changed"])
def test_a_refused_sync_that_touches_the_table_fails_silently(left: str) -> None:
    assert verdicts(SYNCED, replace(REFUSED, metadata_location=left)) == [Verdict.FAILED_SILENTLY]


def test_a_refused_first_sync_that_leaves_a_table_fails_silently() -> None:
    assert verdicts(replace(NEVER, metadata_location=OLD)) == [Verdict.FAILED_SILENTLY]


def test_a_version_that_is_read_must_come_through() -> None:
    assert verdicts(replace(SYNCED, failure="no luck", metadata_location="")) == [Verdict.UNREADABLE]


def test_no_object_may_be_left_of_a_table_that_never_was() -> None:
    assert [one.verdict for one in remains(["t/metadata/v1.metadata.json"])] == [Verdict.FAILED_SILENTLY]
    assert list(remains([])) == []
