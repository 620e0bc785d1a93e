"""Measurements as Arrow rows, merged for the parts of a file, and as actual metrics in the shape of stored ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import accumulate, chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.kept_results import code_of, digest
from xtable_audit.model.malformed import ColumnMisfit, Malformed, Unread
from xtable_audit.model.problem import Unreachable
from xtable_audit.model.scan_input import Wanted
from xtable_audit.values.column_measured import COUNTS, ColumnMeasured, least_or_greatest, structs
from xtable_audit.values.measure_file import FileMeasured
from xtable_audit.values.row_groups import RowGroup

COLUMN, DERIVED = "column.", "derived."
INSIDE_COUNTS = ("value_count", "null_count")
MISFIT = pa.struct([("kind", pa.string()), ("column", pa.string())])
GROUPS = pa.list_(pa.struct([(name, pa.int64()) for name in RowGroup._fields]))
INSIDE = pa.list_(pa.struct([("path", pa.string()), *((count, pa.int64()) for count in INSIDE_COUNTS)]))


def rows_of(files: Sequence[FileMeasured], wanted: Wanted) -> pa.Table:
    """One row per file, in this order."""
    kept: dict[int, bytes] = {}

    def serialised(schema: pa.Schema | None) -> bytes | None:
        return schema if schema is None else kept.setdefault(id(schema), schema.serialize().to_pybytes())

    return pa.table(
        {
            "path": pa.array([file.path for file in files], pa.string()),
            "size": pa.array([file.size for file in files], pa.int64()),
            "format": pa.array([file.format for file in files], pa.string()),
            "record_count": pa.array([file.record_count for file in files], pa.int64()),
            "counted": pa.array([file.counted for file in files], pa.int64()),
            "unordered": pa.array([file.unordered for file in files], pa.int64()),
            "malformed": pa.array([file.malformed for file in files], pa.string()),
            "misfit": pa.array([file.misfit and asdict(file.misfit) for file in files], MISFIT),
            "unread": pa.array([file.unread for file in files], pa.string()),
            "schema": pa.array([serialised(file.schema) for file in files], pa.binary()).dictionary_encode(),
            "groups": pa.array([_groups(file) for file in files], GROUPS),
            "inside": pa.array([_inside(file) for file in files], INSIDE),
        }
        | _of_columns(files, wanted)
        | _by_name(
            (f"{DERIVED}{one.name}", one.arrow, [(file.derived.get(one.name), True) for file in files])
            for one in wanted.derived
        )
    )


def _groups(file: FileMeasured) -> list[dict[str, int]] | None:
    return None if file.groups is None else [group._asdict() for group in file.groups]


def _inside(file: FileMeasured) -> list[dict[str, str | int]] | None:
    if file.record_count is None:
        return None
    return [{"path": path, "value_count": around, "null_count": null} for path, (around, null) in file.inside.items()]


OfFiles = list[tuple[ColumnMeasured | None, bool]]
"""What was measured of a column in each file, and whether that holds it."""


def _by_name(columns: Iterable[tuple[str, pa.DataType, OfFiles]]) -> dict[str, pa.Array]:
    """An array for each column, in order. Those of one type are made by one call: it costs as much as thirty rows."""
    columns = list(columns)
    alike: dict[pa.DataType, list[tuple[str, OfFiles]]] = {}
    for name, arrow, files in columns:
        alike.setdefault(arrow, []).append((name, files))
    found = {}
    for arrow, named in alike.items():
        every = structs(arrow, chain.from_iterable(files for _, files in named))
        for place, (name, files) in enumerate(named):
            found[name] = every.slice(place * len(files), len(files))
    return {name: found[name] for name, *_ in columns}


def _of_columns(files: Sequence[FileMeasured], wanted: Wanted) -> dict[str, pa.Array]:
    """An array for each column, of what was measured of it in each file, alone or together with others."""
    short = [file.short for file in files]
    together = {id(one.measured): one.measured for one in short if one is not None}
    shared = next(iter(together.values()), {})
    alone = _by_name(
        (one.path, one.arrow, [(file.columns.get(one.path), one.path in file.held) for file in files])
        for one in wanted.columns
        if None in short or one.path not in shared
    )
    if not together:
        return {f"{COLUMN}{path}": measured for path, measured in alone.items()}
    if None in short:
        together[id(alone)] = alone
    sizes = (len(next(iter(measured.values()))) for measured in together.values())
    begins = dict(zip(together, accumulate(sizes, initial=0), strict=False))
    own = begins.get(id(alone), 0)
    places = [own + place if one is None else begins[id(one.measured)] + one.place for place, one in enumerate(short)]
    taken = pa.array(places, pa.int64())
    is_whole = len(together) == 1 and places == [*range(len(places))]

    def column(path: str) -> pa.Array:
        if path not in shared:
            return alone[path]
        if is_whole:
            return shared[path]
        return pa.concat_arrays([measured[path] for measured in together.values()]).take(taken)

    return {f"{COLUMN}{one.path}": column(one.path) for one in wanted.columns}


def merge(parts: Iterable[pa.Table]) -> pa.Table:
    """Merges the rows of each file into one, in order of first appearance. Associative.

    A file with a part that is not read gets that part's row.
    """
    table = pa.concat_tables(parts)
    if table.column("path").num_chunks > 1:
        table = table.unify_dictionaries().combine_chunks()
    places: dict[str, list[int]] = {}
    for place, path in enumerate(table["path"].to_pylist()):
        places.setdefault(path, []).append(place)
    if len(places) == table.num_rows:
        return table
    whole = [these[0] for these in places.values() if len(these) == 1]
    joined = {these[0]: _joined(table.take(these)) for these in places.values() if len(these) > 1}
    rows = pa.concat_tables([table.take(pa.array(whole, pa.int64())), *joined.values()]).unify_dictionaries()
    return rows.take(pc.sort_indices(pa.array([*whole, *joined]))).combine_chunks()


def _joined(parts: pa.Table) -> pa.Table:
    """One row for the parts of one file."""
    unread = pc.index(parts["record_count"].is_null(), True).as_py()
    if unread >= 0:
        return parts.slice(unread, 1)
    return pa.table(
        {name: _of_parts(name, parts[name].combine_chunks()) for name in parts.column_names}, schema=parts.schema
    )


def _of_parts(name: str, parts: pa.Array) -> pa.Array:
    if name in ("record_count", "unordered"):
        return pa.array([pc.sum(parts)], pa.int64())
    if name == "groups":  # the part with the first row group tells them all
        return pa.concat_arrays([parts.drop_null(), parts]).slice(0, 1)
    if name == "inside":
        each = parts.flatten()
        by_path = pa.table(each.flatten(), names=["path", *INSIDE_COUNTS]).group_by("path", use_threads=False)
        sums = by_path.aggregate([(count, "sum") for count in INSIDE_COUNTS])
        return pa.array(
            [[dict(zip(("path", *INSIDE_COUNTS), row.values(), strict=True)) for row in sums.to_pylist()]], INSIDE
        )
    if not name.startswith((COLUMN, DERIVED)):
        return parts.slice(0, 1)
    fields = {field.name: parts.field(place) for place, field in enumerate(parts.type)}
    merged = {side: _extreme(fields[side], side) for side in ("min", "max")}
    merged |= {count: pa.array([pc.sum(fields[count])], pa.int64()) for count in COUNTS}
    return pa.StructArray.from_arrays([*merged.values(), fields["held"].slice(0, 1)], [*merged, "held"])


def _extreme(extremes: pa.Array, side: str) -> pa.Array:
    present = extremes.drop_null()
    return pa.array([least_or_greatest(present, side)], extremes.type) if len(present) else extremes.slice(0, 1)


PACKAGES = ("xtable_audit.values", "xtable_audit.formats.iceberg")
"""The packages whose code decides what is measured: values, and the transforms that are measured value by value."""


def kernel() -> str:
    """A digest of the code that measures files, and of Arrow's version."""
    return digest(pa.__version__, code_of(*PACKAGES))


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
    many are null (`xtable_audit.values.row_counts`); null if the file is not read or lacks it.
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
            _of_rows(measured["inside"].combine_chunks()),
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


def _of_rows(lists: pa.ListArray) -> dict[str, pa.Table]:
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
