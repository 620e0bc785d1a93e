"""What is made once a name, and shared by all who ask for it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from lab.provision.lazy import OnceEach


def test_it_is_made_once_a_name() -> None:
    made: list[str] = []
    each = OnceEach(lambda name: made.append(name) or name.upper())  # type: ignore[func-returns-value]
    assert [each("a"), each("b"), each("a")] == ["A", "B", "A"]
    assert made == ["a", "b"]


def test_concurrent_callers_wait_for_the_same_result() -> None:
    go_on = threading.Event()
    each = OnceEach(lambda name: go_on.wait(20) and object())
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(each, "a"), pool.submit(each, "a")
        go_on.set()
        assert first.result() is second.result()


def test_a_failure_is_kept_and_raised_for_each() -> None:
    made: list[str] = []

    def fail(name: str) -> None:
        made.append(name)
        raise LookupError(name)

    each = OnceEach(fail)
    for _ in range(2):
        with pytest.raises(LookupError):
            each("a")
    assert (made, each.made()) == (["a"], [])


def test_a_result_begun_early_is_made_in_the_background() -> None:
    go_on = threading.Event()
    each = OnceEach(lambda name: go_on.wait(20))
    each.begin("a")
    assert each.made() == []
    go_on.set()
    assert each("a")
    assert each.made() == [True]
