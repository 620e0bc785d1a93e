"""What is asked of a planner, the judge's own planner, and in what others are known to differ from it.

A planner says, from a table's metadata alone, which of its data files a reader must keep for a predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.transforms import IdentityTransform, TimeTransform, Transform

from xtable_audit.metadata.stored_metrics import StoredMetrics
from xtable_audit.model.predicate import And, Compare, In, Or, Predicate, columns_of
from xtable_audit.planning.judge_planner import select

Planner = Callable[[str, Sequence[Predicate]], list[frozenset[str] | None]]
"""`(metadata_location, predicates) -> the paths each predicate keeps`; None where its language cannot say a predicate.

Raises Refused where it cannot plan the table at all.
"""
JUDGE, PYICEBERG, JAVA = "judge", "pyiceberg", "java"
PLANNERS = (JUDGE, PYICEBERG, JAVA)
FLOAT_MAX = float(np.finfo(np.float32).max)


class Refused(Exception):
    """A planner cannot plan this table; its own words."""


def judges(stored: StoredMetrics) -> Planner:
    """The judge's own planner over metadata that is already read."""
    paths = stored.paths

    def plan(_: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
        return [frozenset(paths[i] for i in np.flatnonzero(select(stored, one))) for one in predicates]

    return plan


@dataclass(frozen=True)
class Trap:
    """A difference between planners that is known and says nothing about the metadata."""

    words: str
    planners: tuple[str, ...]
    applies: Callable[[StoredMetrics, Predicate], bool]
    loses: bool = False
    """Whether the planner may drop a matching file by it; else it keeps too many at worst."""


def trap(planner: str, stored: StoredMetrics, predicate: Predicate, *, losing: bool = False) -> Trap | None:
    """What is known to make this planner answer another way than the judge; with `losing`, to drop a matching file."""
    known = (one for one in TRAPS if planner in one.planners and one.loses >= losing)
    return next((one for one in known if one.applies(stored, predicate)), None)


def _beyond_float(stored: StoredMetrics, predicate: Predicate) -> bool:
    """An infinity, or a number that rounds to one, on a column of type float."""
    return any(
        pa.types.is_float32(_type(stored, column)) and abs(value) > FLOAT_MAX
        for column, value in _operands(predicate)
        if isinstance(value, float)
    )


def _zero(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A zero among the literals, or among the bounds, of a floating column."""
    floating = {column for column in columns_of(predicate) if pa.types.is_floating(_type(stored, column))}
    said = (stored.columns[column][side] for column in floating for side in ("lower", "upper"))
    bounds = any(pc.any(pc.equal(bound, pa.scalar(0.0, bound.type))).as_py() for bound in said)
    return bounds and any(column in floating and value == 0 for column, value in _operands(predicate))


def _before_1970(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A partition by time, whose tuples count backwards from 1970."""
    by_time = _tuples(stored, columns_of(predicate), TimeTransform)
    return any((pc.min(one.cast(pa.int32())).as_py() or 0) < 0 for one in by_time)


def _below_null(stored: StoredMetrics, predicate: Predicate) -> bool:
    """`<` or `<=` on a column that some file's partition tuple says is null."""
    return any(one.null_count for one in _tuples_compared(stored, predicate, "<", "<="))


def _above_nan(stored: StoredMetrics, predicate: Predicate) -> bool:
    """`>` or `>=` on a column that some file's partition tuple says is NaN."""
    tuples = _tuples_compared(stored, predicate, ">", ">=")
    return any(pa.types.is_floating(one.type) and pc.any(pc.is_nan(one)).as_py() for one in tuples)


def _tuples(stored: StoredMetrics, columns: frozenset[str], kind: type[Any]) -> list[pa.ChunkedArray]:
    """The tuples of every spec made from some columns by that kind of transform."""
    return [
        one.tuples[field.name].filter(pa.array(stored.under(one.spec)))
        for one in stored.partitionings
        for field, leaf in one.fields(stored.leaves)
        if leaf.path in columns and isinstance(field.transform, kind)
    ]


def _tuples_compared(stored: StoredMetrics, predicate: Predicate, *operators: str) -> list[pa.ChunkedArray]:
    """The tuples made from each column that one of these operators stands at."""
    compared = frozenset(column for column, operator in _comparisons(predicate) if operator in operators)
    return _tuples(stored, compared, Transform)


def _beyond_single(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A double column some of whose identity tuples are no single-precision numbers."""
    identities = _tuples(stored, columns_of(predicate), IdentityTransform)
    tuples = [one.drop_null().to_numpy() for one in identities if pa.types.is_float64(one.type)]
    with np.errstate(over="ignore"):
        return any((one != one.astype(np.float32)).any() for one in tuples)


def _no_value_counted(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A column of which some file is said to hold no value at all, not even null."""
    counts = (stored.columns[column]["value_count"] for column in columns_of(predicate))
    return any(pc.any(pc.equal(count, 0)).as_py() for count in counts)


def _type(stored: StoredMetrics, column: str) -> pa.DataType:
    return stored.columns[column]["lower"].type


def _comparisons(predicate: Predicate) -> Iterator[tuple[str, str]]:
    """Each comparison's column and operator."""
    match predicate:
        case And(left, right) | Or(left, right):
            yield from _comparisons(left)
            yield from _comparisons(right)
        case Compare(column, operator):
            yield column, operator


def _operands(predicate: Predicate) -> Iterator[tuple[str, Any]]:
    """Each literal with the column it is held against."""
    match predicate:
        case And(left, right) | Or(left, right):
            yield from _operands(left)
            yield from _operands(right)
        case Compare(column, _, value):
            yield column, value
        case In(column, values):
            yield from ((column, value) for value in values)


TRAPS = (
    # Both know double literals alone, and fold one that is beyond the range of float to "always" or "never", although a
    # float column can hold the infinity that it stands for.
    Trap(
        "a literal beyond the range of float, folded away before any bound is looked at",
        (PYICEBERG, JAVA),
        _beyond_float,
        loses=True,
    ),
    # Iceberg's Java compares as Double.compare does: -0.0 < 0.0. SQL, PyIceberg and the judge hold them equal.
    Trap("-0.0 before 0.0 in Java's order, equal in SQL's", (JAVA,), _zero, loses=True),
    # Iceberg's Java tells such a count of floats and doubles in structs that are all null (its issue 17561).
    Trap("a value count of 0, which PyIceberg takes for none that is told", (PYICEBERG,), _no_value_counted),
    # Mended after 0.12, by apache/iceberg-python 3808.
    Trap(
        "a double in a partition tuple, which PyIceberg 0.12 reads at single precision",
        (PYICEBERG,),
        _beyond_single,
        loses=True,
    ),
    # Iceberg 0.10 and older counted periods before 1970 one too high; Java keeps the neighbouring period as well.
    Trap("the period beside the one before 1970 kept too, for tables of Iceberg 0.10", (JAVA,), _before_1970),
    # Java sorts null before all values in partition tuples too. A file of nulls is then dropped by its null count, so
    # it shows only where the tuple is false.
    Trap("a null tuple below every value in Java's order", (JAVA,), _below_null),
    Trap("a NaN tuple above every number in Java's order", (JAVA,), _above_nan),
)
"""Two more differences are levelled where the predicates are written in a planner's language: `!=` and NOT IN come with
IS NOT NULL, for Iceberg's expressions keep a file of nothing but nulls there and SQL has no use for it. And PyIceberg
leaves out files whose `record_count` is 0 even of a scan without a filter, so nothing is asked without one: under a
filter the judge and Java leave them out as well."""
