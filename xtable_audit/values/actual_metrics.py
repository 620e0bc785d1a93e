"""Actual metrics of data files, in the shape of the stored metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.malformed import ColumnMisfit, Malformed, Unread
from xtable_audit.model.problem import Unreachable
from xtable_audit.values.measured_rows import COLUMN, DERIVED, INSIDE_COUNTS

REASONS = ("path", "malformed", "misfit", "unread")


@dataclass(frozen=True)
class ActualMetrics:
    """Actual values, one row per data file, in the order of the given paths.

    `files`: path, exists (bool), size (bytes, null if missing), format (`PARQUET`, …, by the first bytes; null if the
    file is missing or of none), record_count (null if the file is not read: it is missing or set aside),
    counted (rows of a file that is set aside; null if they are not counted), unordered (rows that the file's sort order
    has before the row they follow; null without an order that is judged), groups (a list of its row groups' start,
    size and rows; null if it is not read).
    `columns`: for each leaf column a table min, max (typed, without NaN), value_count, null_count, nan_count; all null
    for a file that is not read. A column absent from a file is null in every row, or has the value of its identity
    partition (spec, Column Projection).
    `held`: for each leaf column, whether the file itself holds it.
    `buckets`: for each partition field that does not preserve order, min and max of the transformed values.
    `inside`: for each required field inside a column, the number of its values where its parent is present, and how
    many are null (`xtable_audit.values.nested_nulls`); null if the file is not read or lacks it.
    `schemas`: each file's own schema, None if it is not read; files with equal schemas share one object.
    """

    files: pa.Table
    columns: Mapping[str, pa.Table]
    held: Mapping[str, pa.Array] = field(default_factory=dict)
    buckets: Mapping[str, pa.Table] = field(default_factory=dict)
    schemas: tuple[pa.Schema | None, ...] = ()
    inside: Mapping[str, pa.Table] = field(default_factory=dict)

    @classmethod
    def of(cls, measured: pa.Table, paths: Sequence[str]) -> ActualMetrics:
        """From the rows of `xtable_audit.values.measured_rows`; `paths` may repeat a file.

        Raises Malformed for the first malformed file, Unreachable for the first that was not read for another reason.
        """
        for path, bad, misfit, unread in zip(*(measured[name].to_pylist() for name in REASONS), strict=True):
            if bad is not None:
                raise Malformed(
                    path, bad, misfit=misfit and ColumnMisfit(DeviationKind(misfit["kind"]), misfit["column"])
                )
            if unread is not None:
                raise Unreachable(str(Unread(path, unread)))
        measured = measured.take(pc.index_in(pa.array(paths, pa.string()), measured["path"])).combine_chunks()
        sizes = measured["size"].combine_chunks()
        columns, held, derived = {}, {}, {}
        for name in measured.column_names:
            if name.startswith((COLUMN, DERIVED)):
                table = pa.Table.from_struct_array(measured[name])
                if name.startswith(COLUMN):
                    column = name.removeprefix(COLUMN)
                    columns[column] = table.drop_columns("held")
                    held[column] = table["held"].combine_chunks().fill_null(False)
                else:
                    derived[name.removeprefix(DERIVED)] = table.drop_columns("held")
        exists = {"exists": sizes.is_valid(), "size": sizes}
        of_files = {name: measured[name] for name in ("format", "record_count", "counted", "unordered", "groups")}
        return cls(
            pa.table({"path": measured["path"]} | exists | of_files),
            columns,
            held,
            derived,
            _schemas(measured["schema"]),
            _inside(measured["inside"].combine_chunks()),
        )

    def take(self, places: list[int]) -> ActualMetrics:
        """The actual metrics of the files at these places, in this order."""
        rows = pa.array(places, pa.int64())
        return ActualMetrics(
            self.files.take(rows),
            {name: table.take(rows) for name, table in self.columns.items()},
            {name: held.take(rows) for name, held in self.held.items()},
            {name: table.take(rows) for name, table in self.buckets.items()},
            tuple(self.schemas[place] for place in places),
            {name: table.take(rows) for name, table in self.inside.items()},
        )


def _schemas(serialised: pa.ChunkedArray) -> tuple[pa.Schema | None, ...]:
    codes = serialised.combine_chunks()
    known = [pa.ipc.read_schema(pa.py_buffer(one)) for one in codes.dictionary.to_pylist()]
    return tuple(None if code is None else known[code] for code in codes.indices.to_pylist())


def _inside(lists: pa.ListArray) -> dict[str, pa.Table]:
    each, files = lists.flatten(), np.asarray(pc.list_parent_indices(lists))
    paths = each.field("path")
    found = {}
    for path in pc.unique(paths).to_pylist():
        mine = np.flatnonzero(np.asarray(pc.equal(paths, path)))
        place = np.full(len(lists), -1)
        place[files[mine]] = mine
        rows = pa.array(place, mask=place < 0)
        found[path] = pa.table({count: each.field(count).take(rows) for count in INSIDE_COUNTS})
    return found
