"""Delta, as a source and as a target, and where delta-rs keeps other files than the judge by no fault of metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.delta.facts import delta_table
from xtable_audit.formats.delta.rules import DELTA_RULES, MILLISECOND
from xtable_audit.formats.delta.state import LIBRARY, delta_below, delta_rows, delta_state, is_expired
from xtable_audit.formats.delta.stored import read_delta
from xtable_audit.formats.delta.table import delta_of
from xtable_audit.formats.installed import TableFormat
from xtable_audit.formats.source import OwnStatistics, SourceFormat
from xtable_audit.formats.target import Dropped, TargetFormat, Trap, at_zero, type_of
from xtable_audit.model.delta_version import LOG, is_delta_version
from xtable_audit.model.finding import Blame
from xtable_audit.model.planner import DELTALAKE
from xtable_audit.model.predicate import And, Compare, In, Or, Predicate, columns_of
from xtable_audit.model.scalars import DOUBLE_DIGITS
from xtable_audit.model.source_fact import TableFact
from xtable_audit.table.partitions import TransformKind
from xtable_audit.table.stored_metrics import StoredMetrics


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


def _not_indexed(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A column that Delta keeps no statistics of, by the table's properties, and that is no partition column."""
    table = delta_of(stored)
    known = {".".join(names) for names in table.indexed} | {*table.metadata.partition_by}
    return not columns_of(predicate) <= known


def _generates(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A column whose bounds do not give the value of a partition column that is generated from it."""
    asked = columns_of(predicate)
    for one in stored.partitionings:
        for field, leaf in one.fields(stored.leaves):
            if leaf.path in asked and field.transform.kind is TransformKind.TIME:
                bounds = stored.columns[leaf.path]
                given = (field.transform.of(bounds[side], leaf) for side in ("lower", "upper"))
                if not all(pc.all(pc.fill_null(pc.equal(one.tuples[field.name], its), False)).as_py() for its in given):
                    return True
    return False


def _beyond_double(stored: StoredMetrics, predicate: Predicate) -> bool:
    kinds = (type_of(stored, column) for column in columns_of(predicate))
    return any(pa.types.is_decimal(kind) and kind.precision > DOUBLE_DIGITS for kind in kinds)


def _with_exponent(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A decimal whose statistics some file has as `0E-15`."""
    decimals = [column for column in columns_of(predicate) if pa.types.is_decimal(type_of(stored, column))]
    texts = [add.stats for add in delta_of(stored).adds.values() if add.stats]
    names = (re.escape(json.dumps(column.rpartition(".")[2])) for column in decimals)
    return any(re.search(rf"{name}:\s*-?[\d.]+[eE]", text) for name in names for text in texts)


def _without_rows(stored: StoredMetrics, predicate: Predicate) -> bool:
    return pc.any(pc.equal(stored.files["record_count"], 0)).as_py() is True


def _malformed(stored: StoredMetrics, predicate: Predicate) -> bool:
    return bool(delta_of(stored).faults)


PLANNERS = {
    DELTALAKE: (
        # It compares as Arrow does.
        Trap("-0.0 before 0.0 in Arrow's total order, equal in SQL's", at_zero, loses=True),
        # Bounds of Delta are values of the file, so that equal ones are its only value; Iceberg's may be wider.
        Trap("a file of one value by its bounds, which delta-rs drops for any other", _of_one_value),
        # It parses the statistics that the properties have writers keep, whatever else is there (`stats_schema`).
        Trap("a column that the table's properties keep no statistics of, so that delta-rs reads none", _not_indexed),
        # Delta lets a reader derive a predicate on the generated column; delta-rs skips by the column's own bounds.
        Trap("a partition value that is generated from the column, by which delta-rs does not skip", _generates),
        Trap("a decimal of more than 15 digits, which delta-rs takes as a double", _beyond_double),
        Trap("a decimal that the statistics have with an exponent, which delta-rs does not read", _with_exponent),
        Trap("a file without rows, which delta-rs keeps", _without_rows),
        # The fault is a finding of its own: `null_counts_are_numbers`, `logged_statistics_can_be_read`.
        Trap("statistics that are not of the protocol's form, of which delta-rs reads none", _malformed),
    )
}

SOURCE = SourceFormat(
    delta_state,
    delta_table,
    delta_rows,
    LIBRARY,
    "version",
    keeps_beside=TableFact.DELETION_VECTOR,
    statistics=OwnStatistics(Blame.DELTA, "the statistics in the Delta log are", coarse=MILLISECOND),
)
TARGET = TargetFormat(
    name="delta",
    title="Delta",
    commit="version",
    reads=is_delta_version,
    read=read_delta,
    find=delta_below,
    supports_check="xtable_audit.formats.delta.check.support:DELTA",
    dropped=Dropped(
        "Delta log",
        f"Delete the table's folder `{LOG}` (next to `.hoodie`), and nothing else.",
        "Older versions of the Delta table are lost; the source keeps its own history.",
    ),
    folder=LOG,
    is_expired=is_expired,
    rules=DELTA_RULES,
    planners=PLANNERS,
)
DELTA = TableFormat(target=TARGET, source=SOURCE)
