"""Predicates go to JSON and come back."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from xtable_audit.model.predicate import Compare, In, IsNull, Predicate, StartsWith
from xtable_audit.model.predicate_json import read, spell

VALUES = ["it's", 2**60, 0.1, float("inf"), True, b"\xff\x00", Decimal("1.50"), date(1582, 10, 4)]
TIMES = [datetime(2023, 3, 1, 0, 0, 0, 1), datetime(2023, 3, 1, tzinfo=UTC)]


def again(predicate: Predicate) -> Predicate:
    return read(json.loads(json.dumps(spell(predicate))))


@pytest.mark.parametrize("value", [*VALUES, *TIMES], ids=repr)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    back = again(Compare("x", "<=", value))
    assert back == Compare("x", "<=", value)
    assert type(back.value) is type(value)


@pytest.mark.parametrize(
    "predicate",
    [
        In("x", (1, 2)),
        In("x", ("a",), negated=True),
        IsNull("x"),
        IsNull("x", negated=True),
        StartsWith("x", "10"),
        Compare("x", "=", 1) & (IsNull("y") | Compare("z", "!=", "a")),
    ],
    ids=str,
)
def test_a_predicate_comes_back_as_it_was(predicate: Predicate) -> None:
    assert again(predicate) == predicate


def test_what_is_no_predicate_is_refused() -> None:
    with pytest.raises(TypeError, match="not a predicate that can be spelled"):
        spell(Predicate())


def test_what_is_no_value_is_refused() -> None:
    with pytest.raises(TypeError, match="no value of a predicate"):
        spell(Compare("x", "=", object()))
