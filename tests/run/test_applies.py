"""A claim that lacks something is skipped with the reason: inconclusive where the run lacks it, else not applicable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import pytest

from xtable_audit.judge.judge import judge
from xtable_audit.model.claim import Claim, Need
from xtable_audit.model.finding import Verdict
from xtable_audit.pytest_plugin.applies import settle


def check(subject: str) -> Iterator[object]:
    yield from ()


def no_finding(*_: object) -> NoReturn:
    raise AssertionError("nothing deviates")


NEEDS = {
    "not applicable: the claim needs a float column$": Need[str]("a float column", len),
    "inconclusive: the claim needs a request log$": Need[str]("a request log", len, of_run=True),
    "inconclusive: the claim needs a plan: its JSON is cut$": Need[str](
        "a plan", len, why=lambda subject: "its JSON is cut", of_run=True
    ),
}


@pytest.mark.parametrize(("words", "need"), NEEDS.items(), ids=["the table", "the run", "the run, with a reason"])
def test_what_is_lacking_is_named(words: str, need: Need[str]) -> None:
    claim = Claim("c", "f", "it holds", "spec", Verdict.LOOSE, (need,), check, str)
    with pytest.raises(pytest.skip.Exception, match=words):
        settle(judge(claim, "", no_finding))
    settle(judge(claim, "a subject that has it", no_finding))
