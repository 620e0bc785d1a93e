"""A predicate on partition values skips no value that the predicate on the column itself would find."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    VoidTransform,
    YearTransform,
)
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    PrimitiveType,
    StringType,
    TimestampType,
    TimestamptzType,
)

from xtable_audit.formats.iceberg.columns import arrow_type, type_of
from xtable_audit.formats.iceberg.transforms import IcebergTransform, transformed
from xtable_audit.model.columns import Leaf
from xtable_audit.model.predicate import Compare, In, IsNull, Predicate, StartsWith
from xtable_audit.planning.judge_planner import project
from xtable_audit.values.matching_rows import OPERATORS, holds

LEAVES = {
    type(one).__name__: Leaf(1, "t", one, arrow_type(one)) for one in (DateType(), TimestampType(), TimestamptzType())
}
TRANSFORMS: dict[str, Transform[Any, Any]] = {
    "year": YearTransform(),
    "month": MonthTransform(),
    "day": DayTransform(),
    "hour": HourTransform(),
}
NEAR = st.integers(-3 * 86_400_000_000, 3 * 86_400_000_000)
"""Microseconds about the epoch, where periods change their sign."""
FAR = st.integers(-60_000_000_000_000_000, 250_000_000_000_000_000)


def moment(micros: int, leaf: Leaf) -> Any:
    """As a Python value of the leaf's type."""
    at = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=micros)
    if isinstance(leaf.type, DateType):
        return at.date()
    return at if isinstance(leaf.type, TimestamptzType) else at.replace(tzinfo=None)


@pytest.mark.parametrize(
    ("kind", "transform"),
    [
        (kind, name)
        for kind, leaf in LEAVES.items()
        for name, made in TRANSFORMS.items()
        if made.can_transform(type_of(leaf))
    ],
)
@settings(max_examples=60)
@given(data=st.data())
def test_no_value_that_matches_is_projected_away(kind: str, transform: str, data: st.DataObject) -> None:
    leaf, made = LEAVES[kind], TRANSFORMS[transform]
    row, literal = (moment(data.draw(NEAR | FAR), leaf) for _ in range(2))
    operator: Any = data.draw(st.sampled_from(sorted(OPERATORS)))
    choices: list[Predicate] = [Compare("t", operator, literal), In("t", (literal, row)), In("t", (literal,), True)]
    predicate = data.draw(st.sampled_from([*choices, IsNull("t"), IsNull("t", negated=True)]))
    values = pa.array([row], leaf.arrow)
    if holds(predicate, {"t": values})[0].as_py():
        projected = project(predicate, leaf, IcebergTransform(made))
        assert projected is not None
        assert holds(projected, {"t": IcebergTransform(made).of(values, leaf)})[0].as_py()


AT = dt.datetime(2024, 1, 1)
TIGHT = {
    "before midnight is the day before": (Compare("t", "<", AT), Compare("t", "<=", dt.date(2023, 12, 31))),
    "up to midnight is the day itself": (Compare("t", "<=", AT), Compare("t", "<=", dt.date(2024, 1, 1))),
    "after the last instant is the next day": (
        Compare("t", ">", AT - dt.timedelta(microseconds=1)),
        Compare("t", ">=", dt.date(2024, 1, 1)),
    ),
    "two moments of a day are one": (In("t", (AT, AT + dt.timedelta(hours=1))), In("t", (dt.date(2024, 1, 1),))),
    "unequal is no null": (Compare("t", "!=", AT), IsNull("t", negated=True)),
    "the calendar's end is no failure": (
        Compare("t", ">", dt.datetime.max),
        Compare("t", ">=", dt.date(9999, 12, 31)),
    ),
}


@pytest.mark.parametrize(("predicate", "projected"), TIGHT.values(), ids=TIGHT.keys())
def test_projection_is_as_tight_as_it_can_be(predicate: Predicate, projected: Predicate) -> None:
    assert project(predicate, LEAVES["TimestampType"], IcebergTransform(DayTransform())) == projected


def test_identity_is_the_predicate_itself() -> None:
    predicate = Compare("t", "<", AT)
    assert project(predicate, LEAVES["TimestampType"], IcebergTransform(IdentityTransform())) is predicate


def test_of_void_transforms_nothing_is_known() -> None:
    assert project(Compare("t", "=", AT), LEAVES["TimestampType"], IcebergTransform(VoidTransform())) is None


WORDS = st.text("aé\U0001f600\uffff", max_size=5)
PLAIN: dict[PrimitiveType, st.SearchStrategy[Any]] = {
    IntegerType(): st.integers(-40, 40),
    LongType(): st.integers(-40, 40),
    DecimalType(9, 2): st.integers(-400, 400).map(lambda n: Decimal(n).scaleb(-2)),
    StringType(): WORDS,
    BinaryType(): st.binary(max_size=5),
}
"""Values that often share a tuple."""


@pytest.mark.parametrize("kind", PLAIN, ids=str)
@pytest.mark.parametrize("transform", [TruncateTransform(3), BucketTransform(3)], ids=str)
@settings(max_examples=150)
@given(data=st.data())
def test_no_value_that_matches_is_truncated_or_bucketed_away(
    kind: PrimitiveType, transform: Transform[Any, Any], data: st.DataObject
) -> None:
    leaf = Leaf(1, "t", kind, arrow_type(kind))
    row, literal, other = (data.draw(PLAIN[kind]) for _ in range(3))
    operator: Any = data.draw(st.sampled_from(sorted(OPERATORS)))
    choices: list[Predicate] = [Compare("t", operator, literal), In("t", (literal, row)), In("t", (other,), True)]
    choices += [StartsWith("t", literal)] if isinstance(kind, StringType) else []
    predicate = data.draw(st.sampled_from(choices))
    values = pa.array([row], leaf.arrow)
    projected = project(predicate, leaf, IcebergTransform(transform))
    if projected is not None and holds(predicate, {"t": values})[0].as_py():
        assert holds(projected, {"t": transformed(values, kind, transform)})[0].as_py()


SKIPS: dict[str, tuple[PrimitiveType, Transform[Any, Any], Predicate, tuple[Any, Any]]] = {
    "a number equals one of its ten": (IntegerType(), TruncateTransform(10), Compare("t", "=", 27), ("=", 20)),
    "below a number is up to the one before it": (
        IntegerType(),
        TruncateTransform(10),
        Compare("t", "<", 20),
        ("<=", 10),
    ),
    "below the least number is up to its own ten": (
        IntegerType(),
        TruncateTransform(2),
        Compare("t", "<", -(2**31)),
        ("<=", -(2**31)),
    ),
    "a word equals its head": (StringType(), TruncateTransform(3), Compare("t", "=", "abcd"), ("=", "abc")),
    "below a word is up to its head": (StringType(), TruncateTransform(3), Compare("t", "<", "abc"), ("<=", "abc")),
}


@pytest.mark.parametrize(("kind", "transform", "predicate", "projected"), SKIPS.values(), ids=SKIPS.keys())
def test_truncation_is_as_tight_as_it_can_be(
    kind: PrimitiveType, transform: Transform[Any, Any], predicate: Predicate, projected: tuple[Any, Any]
) -> None:
    leaf = Leaf(1, "t", kind, arrow_type(kind))
    assert project(predicate, leaf, IcebergTransform(transform)) == Compare("t", *projected)


def test_buckets_keep_no_order() -> None:
    leaf = Leaf(1, "t", IntegerType(), pa.int32())
    four, sixteen = (IcebergTransform(BucketTransform(number)) for number in (4, 16))
    assert project(Compare("t", "<", 3), leaf, four) is None
    assert project(Compare("t", "=", 34), leaf, sixteen) == Compare("t", "=", 3)  # the spec's own example
