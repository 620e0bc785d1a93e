"""Predicates for Hudi's own reader, drawn deterministically by Hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from xtable_audit.hudi.case import HudiStage
from xtable_audit.hudi.pool import LiteralPool, pools
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate

if TYPE_CHECKING:  # loading Hypothesis takes a while, and most runs draw nothing
    from hypothesis.strategies import SearchStrategy

Option = TypeVar("Option")

OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
DEPTH = 3
"""Maximum depth of a predicate: one condition, two joined, or up to four."""
LISTED = 3
"""Maximum number of values in IN."""
TRIES = 2
"""Draws per wanted predicate, because some repeat."""
SPARE = 2
"""Extra coin tosses per choice, so that all options are about equally likely."""


def drawn(stage: HudiStage, count: int = 200) -> tuple[Predicate, ...]:
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
