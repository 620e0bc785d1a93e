"""Predicates for Hudi's own reader: drawn by Hypothesis, the same ones every time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from xtable_audit.hudi.case import HudiStage
from xtable_audit.hudi.pool import Pool, pools
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate

if TYPE_CHECKING:  # loading Hypothesis takes a while, and most runs draw nothing
    from hypothesis.strategies import SearchStrategy

Option = TypeVar("Option")

OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
DEPTH = 3
"""Of a predicate: a condition, two joined, or up to four."""
LISTED = 3
"""Values of IN at most."""
TRIES = 2
"""Draws for each predicate that is wanted, as some come twice."""
SPARE = 2
"""Coins above those that a choice needs, so that no option is much likelier than another."""


def drawn(stage: HudiStage, count: int = 200) -> tuple[Predicate, ...]:
    """Predicates on the table's own columns, each once; fewer than `count` where there are not as many.

    The same for the same values, whatever the machine and the process.
    """
    from hypothesis import HealthCheck, Phase, given, settings

    asked = pools(stage)
    if not asked:
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
    @given(_trees(asked))
    def collect(predicate: Predicate) -> None:
        found.setdefault(predicate)

    collect()
    return tuple(found)[:count]


def _trees(asked: Sequence[Pool]) -> SearchStrategy[Predicate]:
    """Of DEPTH levels at most; a level more is as likely as none."""
    from hypothesis import strategies as st

    condition = _one_of([_conditions(pool) for pool in asked])
    tree = condition
    for _ in range(DEPTH - 1):
        tree = _one_of([condition, _one_of([st.builds(And, tree, tree), st.builds(Or, tree, tree)])])
    return tree


def _conditions(pool: Pool) -> SearchStrategy[Predicate]:
    """One condition on the column; without values it can only be null."""
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
    """One of the options, by tossing coins.

    Not `sampled_from`: among the integers that it draws Hypothesis mixes those it finds in the source files of whatever
    modules are loaded, and the list would be another in another process.
    """
    from hypothesis import strategies as st

    coins = (len(options) - 1).bit_length() + SPARE

    def option(tossed: tuple[bool, ...]) -> Any:
        return options[sum(side << place for place, side in enumerate(tossed)) % len(options)]

    return st.tuples(*[st.booleans()] * coins).map(option)
