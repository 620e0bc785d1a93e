"""Translators side by side: as many as are wanted at once, and no more than there is room for."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import Any

import pytest

from lab.provision.translator_pool import Pool
from tests.waiting import comes_true


class Stub:
    """A set of translators with only a number and whether it was stopped."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True


@pytest.fixture
def pool() -> Any:
    return Pool(Stub, 2)  # type: ignore[arg-type]


def test_one_after_the_other_is_one_and_the_same(pool: Any) -> None:
    with pool.borrow() as first:
        pass
    with pool.borrow() as second:
        assert second is first


def test_two_at_once_are_two(pool: Any) -> None:
    with pool.borrow() as first, pool.borrow() as second:
        assert (first.number, second.number) == (0, 1)


def test_a_third_waits_for_one_that_is_done(pool: Any) -> None:
    taken: list[Stub] = []

    def take() -> None:
        with pool.borrow() as third:
            taken.append(third)

    with ExitStack() as held:
        first = held.enter_context(pool.borrow())
        with pool.borrow():
            waiting = threading.Thread(target=take)
            waiting.start()
            assert not comes_true(lambda: bool(taken), seconds=0.2)
            held.close()
            waiting.join(20)
            assert taken == [first]


def test_one_that_fails_is_there_for_the_next(pool: Any) -> None:
    for _ in range(3):
        with pytest.raises(RuntimeError, match="in the middle"), pool.borrow():
            raise RuntimeError("in the middle")
    with pool.borrow() as one:
        assert one.number == 0


def test_all_of_them_are_stopped(pool: Any) -> None:
    with pool.borrow() as first, pool.borrow() as second:
        pass
    pool.stop()
    assert (first.stopped, second.stopped) == (True, True)
