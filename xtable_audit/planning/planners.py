"""The interface of a planner, the judge's own planner, and known differences between planners.

A planner returns, from a table's metadata alone, the data files that a reader must keep for a predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.predicate import And, Compare, In, Or, Predicate, columns_of
from xtable_audit.model.scalars import DOUBLE_DIGITS
from xtable_audit.model.subject_id import DELTA, ICEBERG
from xtable_audit.planning.file_set import LiveFiles
from xtable_audit.planning.judge_planner import select
from xtable_audit.table.partitions import Kind
from xtable_audit.table.stored_metrics import StoredMetrics

Planner = Callable[[str, Sequence[Predicate]], Sequence[Set[str] | None]]
"""`(metadata_location, predicates) -> the paths each predicate keeps`; None if it cannot express a predicate.

Raises `model.refused.Refused` if it cannot plan the table at all.
"""
JUDGE, PYICEBERG, JAVA, DELTALAKE = "judge", "pyiceberg", "java", "deltalake"
PLANNERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {JUDGE: (ICEBERG, DELTA), PYICEBERG: (ICEBERG,), JAVA: (ICEBERG,), DELTALAKE: (DELTA,)}
)
"""Name -> the table formats that it plans."""
FLOAT_MAX = float(np.finfo(np.float32).max)
INDEXED = 32
"""`delta.dataSkippingNumIndexedCols` by default."""


def judges(stored: StoredMetrics) -> Planner:
    """The judge's own planner over stored metrics, which are already read."""
    files = LiveFiles.of(stored.files["path"])

    def plan(_: str, predicates: Sequence[Predicate]) -> list[Set[str] | None]:
        return [files.among(select(stored, one)) for one in predicates]

    return plan


@dataclass(frozen=True)
class Trap:
    """A known difference between planners that does not concern the metadata."""

    words: str
    planners: tuple[str, ...]
    applies: Callable[[StoredMetrics, Predicate], bool]
    loses: bool = False
    """Whether it may make the planner drop a matching file; otherwise it only keeps more files."""


def trap(planner: str, stored: StoredMetrics, predicate: Predicate, *, losing: bool = False) -> Trap | None:
    """A trap that explains why this planner differs from the judge; with `losing`, why it drops a matching file."""
    known = (one for one in TRAPS if planner in one.planners and one.loses >= losing)
    return next((one for one in known if one.applies(stored, predicate)), None)


def _beyond_float(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A literal beyond the range of float, including infinity, on a float column."""
    return any(
        pa.types.is_float32(_type(stored, column)) and abs(value) > FLOAT_MAX
        for column, value in _operands(predicate)
        if isinstance(value, float)
    )


def _zero(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A zero literal on a float or double column, and a zero among the bounds."""
    floating = {column for column in columns_of(predicate) if pa.types.is_floating(_type(stored, column))}
    bounds_of_columns = (stored.columns[column][side] for column in floating for side in ("lower", "upper"))
    bounds = any(pc.any(pc.equal(bound, pa.scalar(0.0, bound.type))).as_py() for bound in bounds_of_columns)
    return bounds and any(column in floating and value == 0 for column, value in _operands(predicate))


def _before_1970(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A time partition with a tuple before 1970."""
    by_time = _tuples(stored, columns_of(predicate), Kind.TIME)
    return any((pc.min(one.cast(pa.int32())).as_py() or 0) < 0 for one in by_time)


def _below_null(stored: StoredMetrics, predicate: Predicate) -> bool:
    """`<` or `<=` on a column with a null partition tuple."""
    return any(one.null_count for one in _tuples_compared(stored, predicate, "<", "<="))


def _above_nan(stored: StoredMetrics, predicate: Predicate) -> bool:
    """`>` or `>=` on a column with a NaN partition tuple."""
    tuples = _tuples_compared(stored, predicate, ">", ">=")
    return any(pa.types.is_floating(one.type) and pc.any(pc.is_nan(one)).as_py() for one in tuples)


def _tuples(stored: StoredMetrics, columns: frozenset[str], *kinds: Kind) -> list[pa.ChunkedArray]:
    """The tuples, in every spec, derived from `columns` by one of these kinds of transform."""
    return [
        one.tuples[field.name].filter(pa.array(stored.under(one)))
        for one in stored.partitionings
        for field, leaf in one.fields(stored.leaves)
        if leaf.path in columns and field.transform.kind in kinds
    ]


def _tuples_compared(stored: StoredMetrics, predicate: Predicate, *operators: str) -> list[pa.ChunkedArray]:
    """The tuples derived from columns that the predicate compares by one of these operators."""
    compared = frozenset(column for column, operator in _comparisons(predicate) if operator in operators)
    return _tuples(stored, compared, *Kind)


def _beyond_single(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A double column with an identity tuple that single precision cannot represent."""
    identities = _tuples(stored, columns_of(predicate), Kind.IDENTITY)
    tuples = [one.drop_null().to_numpy() for one in identities if pa.types.is_float64(one.type)]
    with np.errstate(over="ignore"):
        return any((one != one.astype(np.float32)).any() for one in tuples)


def _no_value_counted(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A column with a stored value count of 0 in some file."""
    counts = (stored.columns[column]["value_count"] for column in columns_of(predicate))
    return any(pc.any(pc.equal(count, 0)).as_py() for count in counts)


def _of_one_value(stored: StoredMetrics, predicate: Predicate) -> bool:
    """`!=` or NOT IN on a column whose bounds are one value in some file."""
    refused = (stored.columns[column] for column in _refused(predicate))
    return any(pc.any(pc.equal(one["lower"], one["upper"])).as_py() for one in refused)


def _refused(predicate: Predicate) -> Iterator[str]:
    """Each column that must not have some value."""
    match predicate:
        case And(left, right) | Or(left, right):
            yield from _refused(left)
            yield from _refused(right)
        case Compare(column, "!=") | In(column, _, True):
            yield column


def _behind_the_indexed(stored: StoredMetrics, predicate: Predicate) -> bool:
    indexed = {leaf.path for leaf in stored.leaves[:INDEXED]}
    return not columns_of(predicate) <= indexed


def _beyond_double(stored: StoredMetrics, predicate: Predicate) -> bool:
    kinds = (_type(stored, column) for column in columns_of(predicate))
    return any(pa.types.is_decimal(kind) and kind.precision > DOUBLE_DIGITS for kind in kinds)


def _without_rows(stored: StoredMetrics, predicate: Predicate) -> bool:
    return pc.any(pc.equal(stored.files["record_count"], 0)).as_py() is True


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
    """Each literal with the column it is compared with."""
    match predicate:
        case And(left, right) | Or(left, right):
            yield from _operands(left)
            yield from _operands(right)
        case Compare(column, _, value):
            yield column, value
        case In(column, values):
            yield from ((column, value) for value in values)


TRAPS = (
    # Both have only double literals and fold one beyond the range of float to "always" or "never", although a float
    # column can hold the infinity that it rounds to.
    Trap(
        "a literal beyond the range of float, folded away before any bound is looked at",
        (PYICEBERG, JAVA),
        _beyond_float,
        loses=True,
    ),
    # Iceberg's Java compares with Double.compare, so -0.0 < 0.0. In SQL, PyIceberg and the judge they are equal.
    Trap("-0.0 before 0.0 in Java's order, equal in SQL's", (JAVA,), _zero, loses=True),
    # delta-rs compares as Arrow does.
    Trap("-0.0 before 0.0 in Arrow's total order, equal in SQL's", (DELTALAKE,), _zero, loses=True),
    # Bounds of Delta are values of the file, so that equal ones are its only value; Iceberg's may be wider.
    Trap("a file of one value by its bounds, which delta-rs drops for any other", (DELTALAKE,), _of_one_value),
    # Delta's writers store statistics of that many by default, so its readers look no further (delta-rs 1.6).
    Trap("a column behind the first 32, whose statistics delta-rs does not read", (DELTALAKE,), _behind_the_indexed),
    Trap("a decimal of more than 15 digits, which delta-rs takes as a double", (DELTALAKE,), _beyond_double),
    Trap("a file without rows, which delta-rs keeps", (DELTALAKE,), _without_rows),
    # Iceberg's Java writes such a count for floats and doubles in structs that are all null (its issue 17561).
    Trap("a value count of 0, which PyIceberg takes for an absent one", (PYICEBERG,), _no_value_counted),
    # Fixed after 0.12, by apache/iceberg-python 3808.
    Trap(
        "a double in a partition tuple, which PyIceberg 0.12 reads at single precision",
        (PYICEBERG,),
        _beyond_single,
        loses=True,
    ),
    # Iceberg 0.10 and older wrote periods before 1970 one too high, so Java also keeps the adjacent period.
    Trap("the period beside the one before 1970 kept too, for tables of Iceberg 0.10", (JAVA,), _before_1970),
    # Java sorts null before all values in partition tuples too. The null count then drops a file of nulls, so the
    # difference shows only if the tuple is wrong.
    Trap("a null tuple below every value in Java's order", (JAVA,), _below_null),
    Trap("a NaN tuple above every number in Java's order", (JAVA,), _above_nan),
)
"""Two more differences are avoided when predicates are translated for a planner. `!=` and NOT IN come with IS NOT NULL,
because Iceberg's expressions keep a file of nulls there and SQL does not match it. Every scan has a filter, because
PyIceberg drops files whose `record_count` is 0 even without one; the judge and Java drop them only under a filter."""
