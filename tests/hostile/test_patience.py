"""Who waits for a store gives up in time, and what has answered by then counts."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from threading import Event, get_ident
from threading import enumerate as enumerate_threads
from weakref import ref

import pytest

from xtable_audit.model.time_limits import STRIKES, Patience, run


def test_what_ends_in_time_returns_its_result() -> None:
    assert Patience().within(lambda: json.loads("[1]")) == [1]


def test_what_fails_in_time_raises_its_error() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        run(lambda: int("a"), 5.0)


def test_large_files_may_take_longer() -> None:
    patience = Patience(0.0, 0.0)
    assert patience.within(lambda: time.sleep(0.2), 1 << 30) is None


def test_the_slack_is_for_the_whole_check() -> None:
    patience = Patience(0.0, 0.3)
    patience.within(lambda: time.sleep(0.2))
    with pytest.raises(TimeoutError):
        patience.within(lambda: time.sleep(0.2))


def test_after_some_slow_requests_none_is_made() -> None:
    patience, made = Patience(0.01, 0.0), []

    def slow() -> None:
        made.append(1)
        time.sleep(0.3)

    for _ in range(STRIKES + 2):
        with pytest.raises(TimeoutError):
            patience.within(slow)
    assert len(made) == STRIKES


def test_a_thread_that_has_answered_is_asked_again() -> None:
    """Whichever is idle: one that an earlier test gave up may be by now. None is started."""
    asked, end = [], Event()

    def slow() -> None:
        asked.append(get_ident())
        end.wait(30.0)

    with pytest.raises(TimeoutError):
        run(slow, 0.05)
    run(get_ident, 5.0)
    started = {thread.ident for thread in enumerate_threads()}
    again = {run(get_ident, 5.0) for _ in range(20)}
    end.set()
    assert again <= started
    assert again.isdisjoint([*asked, get_ident()])


def test_an_idle_thread_keeps_nothing_of_what_it_did() -> None:
    answer = Event()
    kept = ref(answer)
    run(answer.is_set, 5.0)
    del answer
    run(get_ident, 5.0)
    assert kept() is None


def test_a_process_that_forks_asks_threads_of_its_own() -> None:
    run(get_ident, 5.0)
    assert os.waitpid(_forked(), 0)[1] == 0


def _forked() -> int:
    """A process that ends with 0 if a thread answers there."""
    child = os.fork()
    if not child:
        try:
            os._exit(run(lambda: 0, 5.0))
        except TimeoutError:
            os._exit(1)
    return child


# many at once


def late(item: int, error: TimeoutError) -> str:
    return f"{item}: {error}"


def test_results_of_many_are_in_their_order() -> None:
    def work(item: int) -> str:
        time.sleep(0.01 * (item % 3))
        return str(item)

    assert Patience().each(work, range(20), 4, late) == [str(item) for item in range(20)]


def test_as_many_work_at_once_as_are_asked_for() -> None:
    everybody = Event()
    working: list[int] = []

    def work(_: int) -> bool:
        working.append(get_ident())
        if len(working) == 3:
            everybody.set()
        return everybody.wait(30.0)

    assert Patience().each(work, range(3), 3, lambda *_: False) == [True] * 3
    assert len(set(working)) == 3


def test_no_item_is_handed_to_a_second_thread() -> None:
    patience = Patience()
    pairs = patience.each(lambda _: (get_ident(), patience.within(get_ident)), range(10), 2, lambda *_: (0, 1))
    assert all(works == asks for works, asks in pairs)


def slow(patience: Patience, these: set[int], end: Event) -> Callable[[int], str]:
    def work(item: int) -> str:
        return patience.within(lambda: str(end.wait(30.0) if item in these else item))

    return work


def test_an_item_that_takes_too_long_is_given_up_and_no_other() -> None:
    patience, end = Patience(0.1, 0.0), Event()
    found = patience.each(slow(patience, {1}, end), range(5), 2, late)
    end.set()
    assert found == ["0", "1: no end after 0 s: the store is too slow, or never ends", "2", "3", "4"]
    assert patience.strikes == 1


def test_what_an_item_takes_too_long_is_taken_from_the_slack_once() -> None:
    patience, end = Patience(0.1, 0.3), Event()
    patience.each(slow(patience, {0}, end), [0], 1, late)
    given_up = patience.slack
    end.set()
    time.sleep(0.1)  # it ends, and takes nothing more
    assert given_up == patience.slack == pytest.approx(0.0)


def test_after_some_slow_items_no_other_is_asked_for() -> None:
    patience, end = Patience(0.01, 0.0), Event()
    with pytest.raises(TimeoutError, match="not asked for"):
        patience.each(slow(patience, set(range(9)), end), range(9), 1, late)
    end.set()
    assert patience.strikes == STRIKES


def test_the_first_error_by_order_is_raised_and_nothing_else_begun() -> None:
    begun: list[int] = []

    def work(item: int) -> int:
        begun.append(item)
        time.sleep(0.2 if item == 0 else 0.0)
        raise ValueError(f"of {item}")

    with pytest.raises(ValueError, match="of 0"):
        Patience().each(work, range(100), 2, lambda item, _: item)
    assert set(begun) <= {0, 1}


def test_an_interrupt_waits_for_what_is_being_read_and_begins_nothing_else() -> None:
    begun: list[int] = []
    ended: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        time.sleep(0.2)  # by then somebody waits
        if item == 0:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)
        ended.append(item)

    with pytest.raises(KeyboardInterrupt):
        Patience().each(work, range(100), 2, lambda *_: None)
    assert sorted(begun) == sorted(ended) == [0, 1]
