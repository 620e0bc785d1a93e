"""The maps of a manifest entry from field id to bound or count, as one column per field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
Places = np.ndarray[tuple[int, int], np.dtype[np.int64]]
SIZES = "column_sizes"
COUNTS = {"value_counts": "value_count", "null_value_counts": "null_count", "nan_value_counts": "nan_count"}
BOUNDS = {"lower_bounds": "lower", "upper_bounds": "upper"}
MAPS: Mapping[str, pa.DataType] = (
    {SIZES: pa.int64()} | dict.fromkeys(COUNTS, pa.int64()) | dict.fromkeys(BOUNDS, pa.binary())
)
"""Each map and the type of its values."""


def column_of(name: str, field_id: int) -> str:
    """What `by_field` calls the values of a field in the map of this name."""
    return f"{name} {field_id}"


def by_field(entries: pa.Table, ids: Iterable[int]) -> pa.Table:
    """For each map and each of the fields, one value or null per entry. Raises ArrowException for maps of other types.

    `entries`: the fields of `data_file`. An entry that lacks a map, or a field in it, has null. Of two values for one
    field the last counts.
    """
    wanted = np.unique(np.fromiter(ids, np.int64))
    found = {
        column_of(name, field_id): values
        for name, kind in MAPS.items()
        for field_id, values in zip(wanted.tolist(), _of_map(entries, name, kind, wanted), strict=True)
    }
    return pa.table(found)


def _of_map(entries: pa.Table, name: str, kind: pa.DataType, wanted: Numbers) -> list[pa.Array]:
    nothing = pa.nulls(entries.num_rows, kind)  # shared: it takes as much memory as values
    if name not in entries.column_names or pa.types.is_null(entries[name].type):
        return [nothing] * len(wanted)
    maps = entries[name].combine_chunks()
    pairs = pc.list_flatten(maps)
    keys = np.asarray(pc.struct_field(pairs, "key").cast(pa.int32()))
    values = pc.struct_field(pairs, "value").cast(kind)
    found = np.intersect1d(keys, wanted)
    places = _same_fields(maps, keys, found)
    if places is None:
        known = np.flatnonzero(np.isin(keys, found))
        places = np.full((len(found), len(maps)), -1)
        places[np.searchsorted(found, keys[known]), np.asarray(pc.list_parent_indices(maps))[known]] = known
    absent = places < 0
    columns = {
        id: values.take(pa.array(place, mask=gone if gone.any() else None))
        for id, place, gone in zip(found.tolist(), places, absent, strict=True)
    }
    return [columns.get(id, nothing) for id in wanted.tolist()]


def _same_fields(maps: pa.ListArray, keys: Numbers, found: Numbers) -> Places | None:
    """For each field that is found the place of its value in each map, if all maps have the same fields in the same
    order, as one writer's have; None if they do not.
    """
    width = len(keys) // max(1, len(maps))
    lengths = pc.list_value_length(maps)
    if lengths.null_count or not pc.all(pc.equal(lengths, width)).as_py():
        return None
    if (keys.reshape(len(maps), width) != keys[:width]).any():
        return None
    place_of = {key: place for place, key in enumerate(keys[:width].tolist())}
    first = np.array([place_of[id] for id in found.tolist()], np.int64)
    return first[:, None] + np.arange(len(maps)) * width
