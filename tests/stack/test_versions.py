from __future__ import annotations

import pytest

from stack.problem import Problem
from stack.versions import release, releases, stack


def test_the_default_stack_is_spark_35() -> None:
    assert stack() == stack("spark35")


def test_an_unknown_stack_is_answered_with_the_known_ones() -> None:
    with pytest.raises(Problem, match=r"There is no stack 'spark9'\. Choose one of: spark35, seed\."):
        stack("spark9")


def test_releases_come_newest_first() -> None:
    assert [one.short for one in releases()] == sorted((one.short for one in releases()), reverse=True)


@pytest.mark.parametrize("version", ["0.4.0", "0.4.0-incubating"])
def test_a_release_is_known_with_and_without_its_suffix(version: str) -> None:
    assert release(version).version == "0.4.0-incubating"


def test_an_unknown_release_is_answered_with_the_known_ones() -> None:
    with pytest.raises(Problem, match=r"'9\.9\.9' is unknown\. Known releases: 0\.4\.0-incubating, 0\.3\.0-incubating"):
        release("9.9.9")
