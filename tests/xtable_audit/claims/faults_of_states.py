"""Faults of the state that an earlier sync left, which a later one has mended.

The first sync left one file; in the state that is judged it comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import pyarrow as pa
from pyiceberg.table.snapshots import Operation, Summary
from pyiceberg.types import NestedField, StringType

from tests.tables.draft import Fault
from tests.tables.healthy_by_pyiceberg import FIRST
from tests.xtable_audit.claims.faults_of_history import (
    TABLE,
    column,
    elsewhere,
    leaving,
    metadata,
    of_file,
    partitioned,
    tuple_of,
    with_metric,
)
from xtable_audit.formats.iceberg.fields import PROPERTY as NAME_MAPPING
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.model.finding import Verdict
from xtable_audit.table.stored_metrics import StoredMetrics

ALONE = (2,)
"""The place of the first sync's file in the last state."""


def named(stored: StoredMetrics, name: str) -> int:
    """The number of a top-level column."""
    return next(number for number, field in enumerate(iceberg_of(stored).schema.fields) if field.name == name)


def left_over(stored: StoredMetrics) -> StoredMetrics:
    """A column that no file has."""
    fields = (*iceberg_of(stored).schema.fields, NestedField(99, "former", StringType(), required=False))
    return metadata(stored, schemas=[iceberg_of(stored).schema.model_copy(update={"fields": fields})])


def typed_otherwise(stored: StoredMetrics) -> StoredMetrics:
    return column(stored, named(stored, "int"), field_type=StringType())


def required(stored: StoredMetrics) -> StoredMetrics:
    return column(stored, named(stored, "holey"), required=True)


def unpartitioned(stored: StoredMetrics) -> StoredMetrics:
    """By its current spec; its files are as they were."""
    own, *others = stored.partitionings
    return elsewhere(replace(stored, partitionings=(replace(own, spec=()), *others)))


def of_one_id(stored: StoredMetrics) -> StoredMetrics:
    return column(stored, named(stored, "long"), field_id=iceberg_of(stored).schema.find_field("int").field_id)


def undecodable(stored: StoredMetrics) -> StoredMetrics:
    """Of the bytes of a lower bound, which are null then."""
    words = pa.array(["a bound of a int column has 3 bytes, not 4"], pa.string())
    return replace(with_metric(stored, "int", "lower", 0, None), undecodable={"int": words})


def unmapped(stored: StoredMetrics) -> StoredMetrics:
    left = {name: value for name, value in iceberg_of(stored).metadata.properties.items() if name != NAME_MAPPING}
    return metadata(stored, properties=left)


def deleting(stored: StoredMetrics) -> StoredMetrics:
    """The current snapshot's operation is a delete."""
    [snapshot] = iceberg_of(stored).metadata.snapshots
    summary = Summary(Operation.DELETE)
    return metadata(stored, snapshots=[snapshot.model_copy(update={"summary": summary})])


def summed_up_wrongly(stored: StoredMetrics) -> StoredMetrics:
    """The manifest list's summary ends below the tuple."""
    ((name, summary),) = stored.partitioning.summaries.items()
    place = summary.column_names.index("upper")
    low = summary.set_column(place, "upper", pa.array([""], summary["upper"].type))
    return elsewhere(partitioned(stored, summaries={name: low}))


def after_a_sync(**breaks: Verdict) -> dict[str, Verdict]:
    return {f"{id}_after_a_sync": verdict for id, verdict in breaks.items()}


def _fault(
    words: str,
    change: Callable[[StoredMetrics], StoredMetrics],
    breaks: Mapping[str, Verdict],
    column: str | None = None,
    places: tuple[int, ...] = ALONE,
) -> Fault:
    return Fault(f"first sync {words}", TABLE, leaving(FIRST, change), breaks, places, column)


FAULTS = (
    _fault(
        "raises a lower bound",
        partial(with_metric, column="int", name="lower", place=0, value=2**30),
        after_a_sync(bounds_contain_values=Verdict.UNSOUND),
        "int",
    ),
    _fault(
        "leaves a bound of other bytes",
        undecodable,
        after_a_sync(bounds_are_of_the_columns_type=Verdict.UNREADABLE),
        "int",
    ),
    _fault(
        "counts no records",
        partial(of_file, name="record_count", place=0, value=0),
        after_a_sync(record_counts_are_exact=Verdict.UNSOUND),
    ),
    _fault(
        "counts a value too many",
        partial(with_metric, column="int", name="value_count", place=0, value=99),
        after_a_sync(value_counts_are_exact=Verdict.COSMETIC),
        "int",
    ),
    _fault(
        "counts no nulls",
        partial(with_metric, column="holey", name="null_count", place=0, value=0),
        after_a_sync(null_counts_are_exact=Verdict.UNSOUND),
        "holey",
    ),
    _fault(
        "counts NaNs that are not there",
        partial(with_metric, column="double", name="nan_count", place=0, value=99),
        after_a_sync(nan_counts_are_exact=Verdict.COSMETIC),
        "double",
    ),
    _fault(
        "leaves another spec",
        unpartitioned,
        after_a_sync(spec_is_the_configured_one=Verdict.LOOSE),
    ),
    _fault(
        "writes no tuple",
        partial(tuple_of, place=0, value=None),
        after_a_sync(tuples_equal_every_row=Verdict.UNSOUND, summaries_cover_every_tuple=Verdict.UNSOUND),
    ),
    _fault("sums up tuples wrongly", summed_up_wrongly, after_a_sync(summaries_cover_every_tuple=Verdict.UNSOUND)),
    _fault(
        "gives two columns one id",
        of_one_id,
        after_a_sync(field_ids_are_unique=Verdict.UNSOUND, names_are_mapped=Verdict.UNSOUND)
        | {"field_ids_are_stable": Verdict.UNSOUND},
        places=(0, 1, 2),
    ),
    _fault("leaves a column of before", left_over, after_a_sync(no_column_is_left_over=Verdict.STALE), "former"),
    _fault(
        "calls its append a delete", deleting, after_a_sync(operation_is_what_the_entries_show=Verdict.STALE), places=()
    ),
    _fault("leaves no name mapping", unmapped, after_a_sync(names_are_mapped=Verdict.UNREADABLE)),
    _fault("retypes a column", typed_otherwise, after_a_sync(types_are_those_of_the_files=Verdict.UNREADABLE), "int"),
    _fault(
        "requires a column with nulls",
        required,
        after_a_sync(required_columns_have_no_nulls=Verdict.UNSOUND),
        "holey",
    ),
)
