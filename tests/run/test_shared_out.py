"""Long work that several workers share answers as one that does it alone."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from lab.provision.xtable_jvms import shared_out


def _squares(numbers: Sequence[int]) -> list[int]:
    return [number * number for number in numbers]


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
