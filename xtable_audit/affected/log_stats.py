"""What the statistics in Delta's log show of each leaf column."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from xtable_audit.model.source_fact import ColumnFact
from xtable_audit.sources.schemas import Leaf

DIGITS = 15
"""A double keeps so many digits of a decimal."""
INDEXED = 32
"""Delta's default of delta.dataSkippingNumIndexedCols."""
CUT = "\ufffd"


def statistics(add: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The parsed statistics of a live file; None if there are none, or broken ones."""
    try:
        parsed = json.loads(add.get("stats") or "null", parse_float=Decimal)
    except (ValueError, TypeError, RecursionError):
        return None
    if not isinstance(parsed, dict):
        return None
    return {name: values for name, values in parsed.items() if isinstance(values, dict)}


def log_facts(leaf: Leaf, place: int, stats: Sequence[Mapping[str, Any] | None], indexed: int) -> set[ColumnFact]:
    """The facts of one leaf, number `place` of the schema. `indexed` is dataSkippingNumIndexedCols, -1 for all."""
    return {fact for one in stats for fact in _of_file(leaf, one, 0 <= indexed <= place)}


def _of_file(leaf: Leaf, stats: Mapping[str, Any] | None, beyond: bool) -> Iterator[ColumnFact]:
    """`beyond` is whether Delta keeps no statistics of columns at that place."""
    if stats is None:
        yield ColumnFact.LOG_NO_MAXIMUM
        return
    bounds = [_at(stats.get(which), leaf.stored) for which in ("minValues", "maxValues")]
    known = [bound for bound in bounds if bound is not None]
    if "NaN" in known:
        yield ColumnFact.LOG_NAN
    if leaf.type == "decimal" and any(len(Decimal(str(one)).as_tuple().digits) > DIGITS for one in _numbers(known)):
        yield ColumnFact.LOG_DIGITS
    if leaf.type == "string" and isinstance(bounds[1], str) and bounds[1].endswith(CUT):
        yield ColumnFact.LOG_CUT
    named = _at(stats.get("maxValues"), leaf.names)
    if named is None and (beyond or _at(stats.get("nullCount"), leaf.stored) is not None):
        yield ColumnFact.LOG_NO_MAXIMUM


def _numbers(bounds: Sequence[Any]) -> list[Any]:
    return [one for one in bounds if isinstance(one, (int, Decimal))]


def _at(values: Any, names: Sequence[str]) -> Any:
    for name in names:
        if not isinstance(values, Mapping):
            return None
        values = values.get(name)
    return values
