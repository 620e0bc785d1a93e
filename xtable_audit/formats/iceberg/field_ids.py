"""Ids of the fields of manifests and manifest lists, by which readers find them (Iceberg spec, Manifests)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

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
