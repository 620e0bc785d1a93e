"""Fields of manifests and manifest lists: the ids by which they are found, and maps from such ids as columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.malformed import Malformed

OF_LIST = {
    "manifest_path": 500,
    "manifest_length": 501,
    "partition_spec_id": 502,
    "added_snapshot_id": 503,
    "added_files_count": 504,
    "existing_files_count": 505,
    "deleted_files_count": 506,
    "partitions": 507,
    "contains_null": 509,
    "lower_bound": 510,
    "upper_bound": 511,
    "added_rows_count": 512,
    "existing_rows_count": 513,
    "deleted_rows_count": 514,
    "sequence_number": 515,
    "min_sequence_number": 516,
    "content": 517,
    "contains_nan": 518,
    "key_metadata": 519,
    "first_row_id": 520,
}
OF_MANIFEST = {
    "status": 0,
    "snapshot_id": 1,
    "data_file": 2,
    "sequence_number": 3,
    "file_sequence_number": 4,
    "file_path": 100,
    "file_format": 101,
    "partition": 102,
    "record_count": 103,
    "file_size_in_bytes": 104,
    "column_sizes": 108,
    "value_counts": 109,
    "null_value_counts": 110,
    "nan_value_counts": 137,
    "lower_bounds": 125,
    "upper_bounds": 128,
    "key_metadata": 131,
    "split_offsets": 132,
    "content": 134,
    "equality_ids": 135,
    "sort_order_id": 140,
    "first_row_id": 142,
    "referenced_data_file": 143,
    "content_offset": 144,
    "content_size_in_bytes": 145,
}
TUPLE = "partition"
"""Its fields have names of the user's."""


def demand_ids(uri: str, schema: bytes, ids: Mapping[str, int]) -> None:
    """Raises Malformed if a field of this name has another id: readers do not find it. `schema` is a sound one."""
    for name, id in _ids(schema):
        if name in ids and id != ids[name]:
            raise Malformed(uri, f"gives the field {name} the id {str(id)[:40]}, and readers look for {ids[name]}")


@lru_cache(maxsize=64)
def _ids(schema: bytes) -> list[tuple[str, Any]]:
    """The fields that have an id. The manifests of a table have few schemas."""
    return [(name, id) for name, id in _fields(json.loads(schema)) if id is not None]


def _fields(schema: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, list):
        for one in schema:
            yield from _fields(one)
    elif isinstance(schema, Mapping):
        for field in schema.get("fields", ()):
            yield str(field.get("name")), field.get("field-id")
            if field.get("name") != TUPLE:
                yield from _fields(field.get("type"))
        if isinstance(schema.get("type"), (Mapping, list)):
            yield from _fields(schema["type"])
        yield from _fields(schema.get("items"))


Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
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
    maps = one_array(entries[name])
    pairs = pc.list_flatten(maps)
    keys = np.asarray(pc.struct_field(pairs, "key").cast(pa.int32()))
    values = pc.struct_field(pairs, "value").cast(kind)
    width = len(keys) // max(1, len(maps))
    if _have_the_same_fields(maps, keys, width):
        place_of = {key: place for place, key in enumerate(keys[:width].tolist())}
        begins = np.arange(len(maps)) * width
        return [values.take(pa.array(begins + place_of[id])) if id in place_of else nothing for id in wanted.tolist()]
    found = np.intersect1d(keys, wanted)
    known = np.flatnonzero(np.isin(keys, found))
    places = np.full((len(found), len(maps)), -1)
    places[np.searchsorted(found, keys[known]), np.asarray(pc.list_parent_indices(maps))[known]] = known
    columns = {
        id: values.take(pa.array(place, mask=gone if gone.any() else None))
        for id, place, gone in zip(found.tolist(), places, places < 0, strict=True)
    }
    return [columns.get(id, nothing) for id in wanted.tolist()]


def _have_the_same_fields(maps: pa.ListArray, keys: Numbers, width: int) -> bool:
    """Whether all maps have the same fields in the same order, so many each, as one writer's have."""
    lengths = pc.list_value_length(maps)
    if lengths.null_count or not pc.all(pc.equal(lengths, width)).as_py():
        return False
    return not (keys.reshape(len(maps), width) != keys[:width]).any()


def one_array(column: pa.ChunkedArray) -> pa.Array:
    """A copy of several chunks; of one chunk none, which `combine_chunks` makes."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
