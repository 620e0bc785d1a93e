"""What all share is made once, and ended only if it was made."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from lab.provision.lazy import Once


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
