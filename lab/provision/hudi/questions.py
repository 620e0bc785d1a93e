"""The questions for Hudi's own reader on each of Hudi's tables; some are drawn by Hypothesis from a table's values."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from lab.provision.hudi.trials import HudiQuery
from lab.subjects.groups import ZIP_CODE
from lab.subjects.hudi_tables import DRAWN_ON, EXAMPLES, LAYERED
from xtable_audit.formats.hudi.indexed_table import HudiStage, column_values, columns
from xtable_audit.model.columns import HUDIS_OWN
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate
from xtable_audit.planning.grid import beyond, in_python

if TYPE_CHECKING:  # loading Hypothesis takes a while, and most runs draw nothing
    from hypothesis.strategies import SearchStrategy

Option = TypeVar("Option")

DRAWN = 200
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
DEPTH = 3
"""Maximum depth of a predicate: one condition, two joined, or up to four."""
LISTED = 3
"""Maximum number of values in IN."""
TRIES = 2
"""Draws per wanted predicate, because some repeat."""
SPARE = 2
"""Extra coin tosses per choice, so that all options are about equally likely."""
PRESENT = 12
"""Maximum number of a column's values to use as literals, spread evenly over all its values."""
WIDE = Context(prec=80, rounding=ROUND_FLOOR)


def questions(dataset: str, newest: HudiStage) -> tuple[HudiQuery, ...]:
    """The table's questions, those of one mode together."""
    if dataset in LAYERED:
        return tuple(HudiQuery(mode, ZIP_CODE) for mode in ("off", "unlisted", "on"))
    predicates = EXAMPLES.get(dataset, ())
    if dataset == DRAWN_ON:
        predicates = (*predicates, *drawn(newest))
    return tuple(HudiQuery(mode, predicate) for mode in ("off", "on") for predicate in predicates)


def drawn(stage: HudiStage, count: int = DRAWN) -> tuple[Predicate, ...]:
    """At most `count` distinct predicates on the table's own columns.

    The same values give the same predicates on every machine and in every process.
    """
    from hypothesis import HealthCheck, Phase, given, settings

    column_pools = pools(stage)
    if not column_pools:
        return ()
    found: dict[Predicate, None] = {}

    @settings(
        derandomize=True,
        database=None,
        max_examples=count * TRIES,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(_trees(column_pools))
    def collect(predicate: Predicate) -> None:
        found.setdefault(predicate)

    collect()
    return tuple(found)[:count]


def _trees(column_pools: Sequence[LiteralPool]) -> SearchStrategy[Predicate]:
    """Predicates of at most DEPTH levels. At each level, a plain condition and a deeper tree are equally likely."""
    from hypothesis import strategies as st

    condition = _one_of([_conditions(pool) for pool in column_pools])
    tree = condition
    for _ in range(DEPTH - 1):
        tree = _one_of([condition, _one_of([st.builds(And, tree, tree), st.builds(Or, tree, tree)])])
    return tree


def _conditions(pool: LiteralPool) -> SearchStrategy[Predicate]:
    """One condition on the column; only null checks if it has no values."""
    from hypothesis import strategies as st

    column, values = pool.column, (*pool.present, *pool.absent)
    null: SearchStrategy[Predicate] = st.builds(IsNull, st.just(column), st.booleans())
    if not values:
        return null
    value = _pick(values)
    listed = _one_of([st.tuples(*[value] * size) for size in range(1, LISTED + 1)]).map(_each_once)
    compared: SearchStrategy[Predicate] = st.builds(Compare, st.just(column), _pick(OPERATORS), value)
    among: SearchStrategy[Predicate] = st.builds(In, st.just(column), listed, st.booleans())
    kinds = [compared] * 4 + [among] * 2 + [null]
    return _one_of(kinds)


def _each_once(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))


def _one_of(strategies: Sequence[SearchStrategy[Option]]) -> SearchStrategy[Option]:
    return _pick(strategies).flatmap(lambda chosen: chosen)


def _pick(options: Sequence[Option]) -> SearchStrategy[Option]:
    """One of the options, chosen by coin tosses.

    `sampled_from` draws integers, and Hypothesis mixes in integers from the source of loaded modules: the choice would
    differ between processes.
    """
    from hypothesis import strategies as st

    coins = (len(options) - 1).bit_length() + SPARE

    def option(tossed: tuple[bool, ...]) -> Any:
        return options[sum(side << place for place, side in enumerate(tossed)) % len(options)]

    return st.tuples(*[st.booleans()] * coins).map(option)


@dataclass(frozen=True)
class LiteralPool:
    """Literals for one column. Values are distinct and finite; `present` is sorted."""

    column: str
    arrow: pa.DataType
    present: tuple[Any, ...]
    absent: tuple[Any, ...]
    """Values between two present ones, and one below and one above all of them."""


def pools(stage: HudiStage) -> tuple[LiteralPool, ...]:
    """Pools of the table's columns, in table order, without Hudi's metadata columns, structs, lists and maps."""
    own = columns(stage)
    return tuple(
        pool_of(stage, column)
        for column in stage.values.column_names
        if column in own and not column.startswith(HUDIS_OWN) and not pa.types.is_nested(stage.values[column].type)
    )


def pool_of(stage: HudiStage, column: str) -> LiteralPool:
    """The pool of one column. Raises KeyError if the table lacks it."""
    values = column_values(stage, column)
    if values is None:
        raise KeyError(f"no column {column!r} in {stage.words}")
    arrow = values.type
    held = [] if pa.types.is_null(arrow) else _held(values)
    present = [held[place] for place in _spread(len(held))]
    known = set(held)
    absent = [value for low, high in pairwise(present) for value in _between(low, high, arrow) if value not in known]
    if present:
        absent += [value for value in beyond(present[0], present[-1], arrow) if _is_finite(value)]
    return LiteralPool(column, arrow, tuple(present), tuple(absent))


def _spread(size: int) -> list[int]:
    """At most PRESENT indexes, evenly spread from the first to the last."""
    if size <= PRESENT:
        return list(range(size))
    return [round(place * (size - 1) / (PRESENT - 1)) for place in range(PRESENT)]


def _held(values: pa.ChunkedArray) -> list[Any]:
    distinct = pc.unique(values).drop_null()
    return sorted(value for scalar in distinct for value in in_python(scalar) if _is_finite(value))


def _is_finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _between(low: Any, high: Any, arrow: pa.DataType) -> Iterator[Any]:
    """A value of the type between the two, if one is easy to find."""
    match low:
        case bool():
            return
        case int():
            middle: Any = (low + high) // 2
        case float():
            middle = pa.scalar(low / 2 + high / 2, arrow).as_py()
        case Decimal():
            middle = WIDE.divide(WIDE.add(low, high), Decimal(2)).quantize(
                Decimal(1).scaleb(-arrow.scale), context=WIDE
            )
        case str():
            middle = low + "0"
        case bytes():
            middle = low + b"\0"
        case dt.datetime() | dt.date():
            middle = low + (high - low) / 2
        case _:
            return
    if low < middle < high and pa.scalar(middle, arrow).is_valid:
        yield middle
