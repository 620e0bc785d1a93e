"""What is read of another program's message: the exceptions that it names, and nothing else."""

from __future__ import annotations

import pytest

from xtable_audit.model.sync import Sync
from xtable_audit.model.thrown import Thrown, class_missed_in, exceptions_in

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
