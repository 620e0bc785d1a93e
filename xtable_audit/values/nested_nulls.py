"""Nulls of required fields inside lists, maps and structs, where the parent value is present."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.wanted import Shape
from xtable_audit.values.parquet import find_field

Counts = Iterator[tuple[str, int, int]]
"""Path of a required field, the number of its values where its parent is present, and how many are null."""


def demanding(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """The columns with a required field inside."""
    return tuple(shape for shape in shapes if _demands(shape))


def _demands(shape: Shape) -> bool:
    return any(child.required or _demands(child) for child in shape.inside)


def nulls_inside(values: pa.Array, kind: pa.DataType, shape: Shape, path: str, *, by_id: bool) -> Counts:
    """Counts for each required field inside this one that the file holds, except map keys, which Parquet requires.

    `values` are those of the field, which is not counted itself; `kind` is their type with field ids.
    """
    there = values.drop_null()
    if shape.kind == "struct" and pa.types.is_struct(kind):
        for child in shape.inside:
            place = find_field(kind, child, by_id=by_id)
            if place is not None:
                yield from _of_child(there.field(place), kind.field(place).type, child, path, by_id=by_id)
    elif shape.kind == "list" and (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        yield from _of_child(pc.list_flatten(there), kind.value_type, shape.inside[0], path, by_id=by_id)
    elif shape.kind == "map" and pa.types.is_map(kind):
        first, last = (int(there.offsets[place].as_py()) for place in (0, len(there)))
        yield from _of_child(there.items.slice(first, last - first), kind.item_type, shape.inside[1], path, by_id=by_id)


def _of_child(values: pa.Array, kind: pa.DataType, child: Shape, path: str, *, by_id: bool) -> Counts:
    below = f"{path}.{child.name}"
    if child.required:
        yield below, len(values), values.null_count
    yield from nulls_inside(values, kind, child, below, by_id=by_id)
