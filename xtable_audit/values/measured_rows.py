"""Measurements as Arrow rows, which can cross a process, and merging of the parts of one file.

Columns: path, size, format, record_count, counted, unordered, malformed, unread and schema (serialised) of the file;
`misfit`, a struct of kind and column, null unless a column makes it malformed;
`groups`, a list of its row groups' start, size and rows;
`inside`, a list of path, value_count, null_count; `column.<path>` for each column and `derived.<name>` for each derived
value: a struct of min and max (in the column's own type, which keeps any year and signed zeros), value_count,
null_count, nan_count and held.
A file that is not read has null for record_count, groups, inside and the structs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.wanted import Wanted
from xtable_audit.values.measure_file import ColumnMeasured, FileMeasured, least_or_greatest
from xtable_audit.values.row_groups import RowGroup

COLUMN, DERIVED = "column.", "derived."
COUNTS = ("value_count", "null_count", "nan_count")
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
        | {
            f"{COLUMN}{column.path}": _structs(
                column.arrow, [(file.columns.get(column.path), column.path in file.held) for file in files]
            )
            for column in wanted.columns
        }
        | {
            f"{DERIVED}{one.name}": _structs(one.arrow, [(file.derived.get(one.name), True) for file in files])
            for one in wanted.derived
        }
    )


def _groups(file: FileMeasured) -> list[dict[str, int]] | None:
    return None if file.groups is None else [group._asdict() for group in file.groups]


def _inside(file: FileMeasured) -> list[dict[str, str | int]] | None:
    if file.record_count is None:
        return None
    return [{"path": path, "value_count": around, "null_count": null} for path, (around, null) in file.inside.items()]


def _structs(arrow: pa.DataType, files: list[tuple[ColumnMeasured | None, bool]]) -> pa.Array:
    extremes = {
        side: pa.array([one.extreme(side) if one else None for one, _ in files], arrow) for side in ("min", "max")
    }
    counts = {name: pa.array([getattr(one, name) if one else None for one, _ in files], pa.int64()) for name in COUNTS}
    held = {"held": pa.array([held for _, held in files], pa.bool_())}
    absent = pa.array([one is None for one, _ in files], pa.bool_())
    parts = extremes | counts | held
    return pa.StructArray.from_arrays(list(parts.values()), list(parts), mask=absent)


def merge(parts: Iterable[pa.Table]) -> pa.Table:
    """Merges the rows of each file into one, in order of first appearance. Associative.

    A file with a part that is not read gets that part's row.
    """
    table = pa.concat_tables(parts).unify_dictionaries().combine_chunks()
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
