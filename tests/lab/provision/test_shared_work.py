"""Work that several share: made once, by one of them or by all together, with room for as many as are wanted."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from lab.provision.made_once import Once, OnceEach
from lab.provision.translator_pool import Pool
from lab.provision.xtable_jvms import shared_out
from tests.wait_until import comes_true


def _squares(numbers: Sequence[int]) -> list[int]:
    return [number * number for number in numbers]


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


# What all share is made once, and ended only if it was made.


def test_concurrent_callers_share_one() -> None:
    made: list[object] = []

    def slowly() -> object:
        time.sleep(0.05)
        made.append(object())
        return made[-1]

    once, together = Once(slowly), threading.Barrier(4)

    def get() -> object:
        together.wait()
        return once()

    with ThreadPoolExecutor(4) as threads:
        shared = {id(future.result()) for future in [threads.submit(get) for _ in range(4)]}
    assert (len(made), len(shared)) == (1, 1)


def test_what_failed_is_tried_again_by_the_next() -> None:
    answers: Iterator[OSError | str] = iter([OSError("no port is free"), "there"])

    def make() -> str:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    once = Once(make)
    with pytest.raises(OSError, match="no port is free"):
        once()
    assert once() == "there"


def test_what_was_made_is_ended() -> None:
    ended: list[str] = []
    once = Once(lambda: "store")
    once()
    once.end(ended.append)
    assert ended == ["store"]


def test_what_nobody_requested_is_not_made_to_be_ended() -> None:
    ended: list[str] = []
    Once(lambda: "store").end(ended.append)
    assert not ended


# What is made once a name, and shared by all who ask for it.


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


# Long work that several workers share answers as one that does it alone.


@pytest.mark.parametrize("many", [0, 1, 3, 7, 8])
def test_answers_are_in_the_order_of_the_items(many: int) -> None:
    assert shared_out(_squares, range(many), part=3, at_once=2) == _squares(range(many))


def test_parts_are_worked_on_at_once() -> None:
    both = threading.Barrier(2, timeout=10)

    def met(items: Sequence[int]) -> list[int]:
        both.wait()
        return list(items)

    assert shared_out(met, [1, 2], part=1, at_once=2) == [1, 2]


def test_work_without_items_is_asked_once() -> None:
    asked: list[int] = []

    def counts(items: Sequence[int]) -> list[int]:
        asked.append(len(items))
        return []

    shared_out(counts, [], part=3, at_once=2)
    assert asked == [0]


def test_what_one_part_raises_is_raised() -> None:
    def fails(items: Sequence[int]) -> list[int]:
        raise ValueError(f"no {items[0]}")

    with pytest.raises(ValueError, match="no 0"):
        shared_out(fails, range(9), part=3, at_once=2)


# Translators side by side: as many as are wanted at once, and no more than there is room for.


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
