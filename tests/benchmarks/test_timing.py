"""A measured process answers as expected, or nothing is measured of it."""

from __future__ import annotations

import pytest

from tools.benchmarks.timing import run

ANSWERS_1 = ["-c", "print('new findings'); raise SystemExit(1)"]


def test_an_exit_status_that_is_an_answer_is_measured() -> None:
    assert run(ANSWERS_1, answers=(0, 1))[1] == "new findings\n"


def test_any_other_exit_status_raises_what_was_printed() -> None:
    with pytest.raises(RuntimeError, match="ended with 1:\nnew findings"):
        run(ANSWERS_1)
