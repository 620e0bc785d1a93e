"""What another program says: the exceptions that its message names, and the refusals that a table must get."""

from __future__ import annotations

from dataclasses import replace

import pytest

from xtable_audit.claims.translation.refusal import offences, remains
from xtable_audit.model.finding import Verdict
from xtable_audit.model.sync import Sync, Thrown, class_missed_in, exceptions_in

NULL = "java.lang.NullPointerException"
MESSAGES = {
    "of one exception": (f'{NULL}: Cannot invoke "java.math.BigDecimal.setScale(int)" because "x" is null', {NULL}),
    "with its cause": (
        "java.lang.ExceptionInInitializerError; caused by java.lang.IllegalStateException: Recursive update",
        {"java.lang.ExceptionInInitializerError", "java.lang.IllegalStateException"},
    ),
    "without the package of the outer": (f"InternalException(errorCode=READ_EXCEPTION); caused by {NULL}", {NULL}),
    "of an inner class": ("a.b.Outer$InnerException: no", {"a.b.Outer$InnerException"}),
    "of a class alone": ("Invalid source type long for org.apache.xtable.model.schema.InternalField", set()),
    "of a longer name": ("java.lang.NullPointerExceptions, my.java.lang.NullPointerException2", set()),
    "of nobody": ("it took longer than 300 s and its JVM was killed", set()),
}
WORDS = "java.lang.IllegalArgumentException"
OLD = "s3://b/t/metadata/v2.metadata.json"
STAGES = ("eight files", "an upgrade")
SYNCED = Sync("first", "0.4.0", OLD)
REFUSED = Sync("incremental", "0.4.0", OLD, f"{WORDS}: no", stage=1)
NEVER = replace(REFUSED, metadata_location="")


def verdicts(*syncs: Sync) -> list[Verdict]:
    return [offence.verdict for offence in offences(syncs, STAGES, 2, WORDS)]


# What is read of another program's message: the exceptions that it names, and nothing else.


@pytest.mark.parametrize(("message", "named"), MESSAGES.values(), ids=MESSAGES)
def test_the_exceptions_of_a_message_are_read(message: str, named: set[str]) -> None:
    assert exceptions_in(message) == named


@pytest.mark.parametrize("failure", [one for one, _ in MESSAGES.values()], ids=MESSAGES)
def test_a_sync_has_those_of_its_failure(failure: str) -> None:
    assert Sync("first", "0.4.0", "", failure).exceptions == exceptions_in(failure)


def test_a_sync_that_comes_through_has_none() -> None:
    assert Sync("first", "0.4.0", "s3://b/t/metadata/v1.metadata.json", log=NULL).exceptions == set()


@pytest.mark.parametrize(
    ("words", "exception"), [(NULL, NULL), (f"{NULL}: it is null", NULL), (f"caused by {NULL}", ""), ("", "")]
)
def test_what_was_thrown_is_what_its_words_begin_with(words: str, exception: str) -> None:
    assert Thrown.of(words) == Thrown(exception, words)


@pytest.mark.parametrize(
    ("message", "missed"),
    [
        (
            "java.lang.NoClassDefFoundError: org/apache/paimon/Inner$Class; caused by nothing",
            "org/apache/paimon/Inner$Class",
        ),
        ("java.lang.NoClassDefFoundError: Could not initialize class org.apache.hudi.avro.model.HoodieSliceInfo", ""),
        (NULL, ""),
    ],
    ids=["missing", "not initialised", "another error"],
)
def test_a_class_that_is_missed_is_read(message: str, missed: str) -> None:
    assert class_missed_in(message) == missed


# A refusal passes only with the expected message, and only if the target stays as it was.


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
