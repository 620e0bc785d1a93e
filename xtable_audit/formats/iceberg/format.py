"""Iceberg, as a target, and where its planners keep other files than the judge, by no fault of the metadata."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.iceberg.beside_data_files import read_beside
from xtable_audit.formats.iceberg.check.source_rows import LIBRARY, iceberg_rows
from xtable_audit.formats.iceberg.facts import iceberg_table
from xtable_audit.formats.iceberg.planner_view import as_planned
from xtable_audit.formats.iceberg.source_state import iceberg_state
from xtable_audit.formats.iceberg.stored_metrics import read_metadata, read_stored_metrics
from xtable_audit.formats.iceberg.table_json import metadata_below
from xtable_audit.formats.installed import TableFormat
from xtable_audit.formats.source import OwnStatistics, SourceFormat
from xtable_audit.formats.target import Dropped, TargetFormat, Trap, at_zero, operands, type_of
from xtable_audit.model.finding import Blame
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.planner import JAVA, PYICEBERG
from xtable_audit.model.predicate import And, Compare, Or, Predicate, columns_of
from xtable_audit.table.partitions import TransformKind
from xtable_audit.table.stored_metrics import StoredMetrics

FLOAT_MAX = float(np.finfo(np.float32).max)


def _beyond_float(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A literal beyond the range of float, including infinity, on a float column."""
    return any(
        pa.types.is_float32(type_of(stored, column)) and abs(value) > FLOAT_MAX
        for column, value in operands(predicate)
        if isinstance(value, float)
    )


def _before_1970(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A time partition with a tuple before 1970."""
    by_time = _tuples(stored, columns_of(predicate), TransformKind.TIME)
    return any((pc.min(one.cast(pa.int32())).as_py() or 0) < 0 for one in by_time)


def _below_null(stored: StoredMetrics, predicate: Predicate) -> bool:
    """`<` or `<=` on a column with a null partition tuple."""
    return any(one.null_count for one in _tuples_compared(stored, predicate, "<", "<="))


def _above_nan(stored: StoredMetrics, predicate: Predicate) -> bool:
    """`>` or `>=` on a column with a NaN partition tuple."""
    tuples = _tuples_compared(stored, predicate, ">", ">=")
    return any(pa.types.is_floating(one.type) and pc.any(pc.is_nan(one)).as_py() for one in tuples)


def _tuples(stored: StoredMetrics, columns: frozenset[str], *kinds: TransformKind) -> list[pa.ChunkedArray]:
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
    return _tuples(stored, compared, *TransformKind)


def _beyond_single(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A double column with an identity tuple that single precision cannot represent."""
    identities = _tuples(stored, columns_of(predicate), TransformKind.IDENTITY)
    tuples = [one.drop_null().to_numpy() for one in identities if pa.types.is_float64(one.type)]
    with np.errstate(over="ignore"):
        return any((one != one.astype(np.float32)).any() for one in tuples)


def _no_value_counted(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A column with a stored value count of 0 in some file."""
    counts = (stored.columns[column]["value_count"] for column in columns_of(predicate))
    return any(pc.any(pc.equal(count, 0)).as_py() for count in counts)


def _comparisons(predicate: Predicate) -> Iterator[tuple[str, str]]:
    """Each comparison's column and operator."""
    match predicate:
        case And(left, right) | Or(left, right):
            yield from _comparisons(left)
            yield from _comparisons(right)
        case Compare(column, operator):
            yield column, operator


# Both have only double literals and fold one beyond the range of float to "always" or "never", although a float column
# can hold the infinity that it rounds to.
FOLDED = Trap(
    "a literal beyond the range of float, folded away before any bound is looked at", _beyond_float, loses=True
)
PLANNERS = {
    PYICEBERG: (
        FOLDED,
        # Iceberg's Java writes such a count for floats and doubles in structs that are all null (its issue 17561).
        Trap("a value count of 0, which PyIceberg takes for an absent one", _no_value_counted),
        # Fixed after 0.12, by apache/iceberg-python 3808.
        Trap(
            "a double in a partition tuple, which PyIceberg 0.12 reads at single precision", _beyond_single, loses=True
        ),
    ),
    JAVA: (
        FOLDED,
        # It compares with Double.compare, so -0.0 < 0.0. In SQL, PyIceberg and the judge they are equal.
        Trap("-0.0 before 0.0 in Java's order, equal in SQL's", at_zero, loses=True),
        # Iceberg 0.10 and older wrote periods before 1970 one too high, so Java also keeps the adjacent period.
        Trap("the period beside the one before 1970 kept too, for tables of Iceberg 0.10", _before_1970),
        # Java sorts null before all values in partition tuples too. The null count then drops a file of nulls, so the
        # difference shows only if the tuple is wrong.
        Trap("a null tuple below every value in Java's order", _below_null),
        Trap("a NaN tuple above every number in Java's order", _above_nan),
    ),
}
"""Two more differences are avoided when predicates are translated for a planner. `!=` and NOT IN come with IS NOT NULL,
because Iceberg's expressions keep a file of nulls there and SQL does not match it. Every scan has a filter, because
PyIceberg drops files whose `record_count` is 0 even without one; the judge and Java drop them only under a filter."""


def is_expired(objects: Objects, newest: str, metadata_location: str) -> bool:
    """Whether `metadata_location`, which a sync left, is gone, or its current snapshot not in the newest metadata."""
    try:
        now = read_metadata(objects, newest)
        if objects.size(metadata_location) is None:
            return True
        then = read_metadata(objects, metadata_location)
    except Malformed:
        return False
    return then.current_snapshot_id not in {snapshot.snapshot_id for snapshot in now.snapshots}


TARGET = TargetFormat(
    name="iceberg",
    title="Iceberg",
    commit="snapshot",
    reads=lambda location: True,
    read=read_stored_metrics,
    find=metadata_below,
    supports_check="xtable_audit.formats.iceberg.check.support:ICEBERG",
    dropped=Dropped(
        "Iceberg metadata",
        "Delete the table's folder `metadata` (next to `.hoodie` or `_delta_log`), and nothing else.",
        "Older snapshots, tags and branches of the Iceberg table are lost; the source keeps its own history.",
    ),
    folder="metadata",
    read_beside=read_beside,
    is_expired=is_expired,
    as_planned=as_planned,
    planners=PLANNERS,
)
SOURCE = SourceFormat(
    iceberg_state,
    iceberg_table,
    iceberg_rows,
    LIBRARY,
    "snapshot",
    statistics=OwnStatistics(Blame.ICEBERG, "the metrics in the source's own manifests are", carried=True),
)
ICEBERG = TableFormat(target=TARGET, source=SOURCE)
