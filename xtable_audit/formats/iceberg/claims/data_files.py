"""What manifests say of a data file beside its metrics: format, sort order, and the sizes of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.deviation import Deviation, deviation, file_name
from xtable_audit.claims.needs import COLUMN_SIZES, FORMATS, ORDERED_FILES, SORT_ORDERS, SPLIT_OFFSETS, splits
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of, in_words
from xtable_audit.model import rules
from xtable_audit.model.claim import claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case
from xtable_audit.values.row_groups import RowGroup

UNSORTED = 0
"""The sort order that every table has (Iceberg spec, Sorting)."""


@claim("file_format is the format of the file", needs=FORMATS, spec=rules.FILE_FORMAT, breaks=Verdict.UNREADABLE)
def formats_are_those_of_the_files(case: Case) -> Iterator[Deviation]:
    stored, true = case.stored.files["format"], case.actual.files["format"]
    yield from deviation(
        pc.not_equal(stored, true),
        saw=lambda i: f"file_format {stored[i]} for {file_name(case, i)}",
        expected=lambda i: f"{true[i]}, by its first bytes",
    )


@claim(
    "the sort_order_id of a data file names a sort order of the table",
    needs=SORT_ORDERS,
    spec=rules.SORT_ORDERS,
    breaks=Verdict.COSMETIC,
)
def sort_orders_are_those_of_the_table(case: Case) -> Iterator[Deviation]:
    """Readers take a file of an unknown order as unsorted."""
    stored = case.stored.files["sort_order"]
    known = sorted({UNSORTED, *(order.order_id for order in iceberg_of(case.stored).metadata.sort_orders)})
    yield from deviation(
        pc.and_(pc.is_valid(stored), pc.invert(pc.is_in(stored, pa.array(known, pa.int32())))),
        saw=lambda i: f"sort_order_id {stored[i]} for {file_name(case, i)}",
        expected=lambda i: f"one of {', '.join(map(str, known))}",
    )


@claim(
    "the rows of a data file are in the sort order that its sort_order_id names",
    needs=ORDERED_FILES,
    spec=rules.SORTED,
    breaks=Verdict.COSMETIC,
)
def rows_are_in_their_sort_order(case: Case) -> Iterator[Deviation]:
    """A writer need not sort, but then declares no order. ClickHouse asks whether all files have the table's order
    (`areAllDataFilesSortedBySortOrderID`); what it loses by rows out of order is not tried. Of a big file, which is
    read in parts, each part is judged.
    """
    unordered, rows = case.actual.files["unordered"], case.actual.files["record_count"]
    stored = case.stored.files["sort_order"]
    orders = {order.order_id: order for order in iceberg_of(case.stored).metadata.sort_orders}
    names = {field.field_id: field.path for field in case.stored.leaves}
    yield from deviation(
        pc.greater(unordered, 0),
        saw=lambda i: f"{unordered[i]} of {rows[i]} rows after one that they precede in {file_name(case, i)}",
        expected=lambda i: f"rows in sort order {stored[i]}: {in_words(orders[stored[i].as_py()], names)}",
    )


@claim(
    "split offsets ascend, none lies within a row group or past the file, and no row group is before the first",
    needs=SPLIT_OFFSETS,
    spec=rules.SPLIT_OFFSETS,
    breaks=Verdict.COSMETIC,
)
def split_offsets_reach_every_row_group(case: Case) -> Iterator[Deviation]:
    """UNSOUND for a row group before the first: Iceberg's Java, by which Spark and Flink plan, cuts the file at its
    offsets, and each task reads the row groups whose middle is in its part (`OffsetsAwareSplitScanTaskIterator`,
    Parquet's `filterFileMetaDataByMidpoint`). It leaves alone offsets that do not ascend, or of which the last is not
    below file_size_in_bytes (`BaseContentScanTask.split`, `BaseFile.hasWellDefinedOffsets`).
    """
    stored, true, size = case.stored.files["split_offsets"], case.actual.files["groups"], case.stored.files["size"]
    judged = splits(case) & np.asarray(true.is_valid())
    wrong, lost = np.zeros(len(judged), bool), np.zeros(len(judged), np.int64)
    for place in map(int, np.flatnonzero(judged)):
        offsets, groups = stored[place].as_py(), [RowGroup(**one) for one in true[place].as_py()]
        is_used = all(one < next for one, next in pairwise(offsets)) and offsets[-1] < size[place].as_py()
        lost[place] = sum(one.rows for one in groups if is_used and one.middle < offsets[0])
        wrong[place] = not is_used or any(one.start < offset < one.end for one in groups for offset in offsets)
    for mask, verdict in ((lost > 0, Verdict.UNSOUND), (wrong & (lost == 0), None)):
        for found in deviation(
            mask,
            saw=lambda i: f"split_offsets {_numbers(stored[i].as_py())} for {file_name(case, i)}",
            expected=lambda i: f"{_numbers([one['start'] for one in true[i].as_py()])}, where row groups begin",
            verdict=verdict,
        ):
            yield replace(found, rows=int(lost[mask].sum()))


SHOWN = 4
"""Numbers of a list that are shown."""


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:SHOWN])) + (", …" if len(numbers) > SHOWN else "")


@claim(
    "column sizes are more than nothing, and together no more than the file",
    needs=COLUMN_SIZES,
    spec=rules.COLUMN_SIZES,
    breaks=Verdict.COSMETIC,
)
def column_sizes_fit_the_file(case: Case) -> Iterator[Deviation]:
    """The specification leaves open which bytes of a file belong to a column, so exact sizes are not judged.

    Query optimisers estimate by them how much data a scan reads.
    """
    together = np.zeros(case.stored.files.num_rows, np.int64)
    for column, stored in case.stored.column_sizes.items():
        values = case.actual.columns[column]["value_count"]
        held = np.asarray(case.actual.held[column]) & np.asarray(pc.greater(values, 0).fill_null(False))
        together += np.where(held, np.asarray(pc.fill_null(stored, 0)), 0)
        yield from deviation(
            held & np.asarray(pc.less_equal(stored, 0).fill_null(False)),
            saw=partial(_column, case, stored),
            expected=partial(_bytes, values),
            column=column,
        )
    size = case.actual.files["size"]
    yield from deviation(
        pc.greater(pa.array(together), size),
        saw=lambda i: f"columns of {together[i]} bytes for {file_name(case, i)}",
        expected=lambda i: f"at most the {size[i]} bytes of the file",
    )


def _column(case: Case, stored: pa.Array, place: int) -> str:
    return f"column size {stored[place]} for {file_name(case, place)}"


def _bytes(values: pa.ChunkedArray, place: int) -> str:
    return f"the bytes of its {many(values[place].as_py(), 'value')}"
