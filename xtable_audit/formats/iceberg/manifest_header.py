"""What a manifest says of itself, and the manifest list of its partitions (Iceberg spec, Manifests and Lists)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from pyiceberg.types import PrimitiveType

from xtable_audit.formats.iceberg.avro import SCHEMA, read_header
from xtable_audit.formats.iceberg.manifest_fields import TUPLE
from xtable_audit.formats.iceberg.single_value import Undecodable, decode
from xtable_audit.model.malformed import Malformed

SPEC, SPEC_ID, OF_TABLE = b"partition-spec", b"partition-spec-id", b"schema"
Transforms = tuple[tuple[int | None, str], ...]
"""Source id and transform of each field of a partition spec."""
Columns = frozenset[tuple[int | None, str, str]]
"""Id, name and type of each top-level column."""


@dataclass(frozen=True)
class ManifestHeader:
    tuple_ids: tuple[tuple[str, int | None], ...] = ()
    """Name and id of each field of the partition tuples."""
    spec: Transforms | None = None
    """None if there is none, or none that can be parsed; likewise below."""
    spec_id: str | None = None
    schema_id: int | None = None
    columns: Columns | None = None


NO_HEADER = ManifestHeader()


def header_of(content: bytes) -> ManifestHeader:
    """Of a sound Avro file."""
    metadata = read_header(content).metadata
    return _header(metadata[SCHEMA], metadata.get(SPEC), metadata.get(SPEC_ID), metadata.get(OF_TABLE))


@lru_cache(maxsize=64)
def _header(avro: bytes, spec: bytes | None, spec_id: bytes | None, schema: bytes | None) -> ManifestHeader:
    """The manifests of a table have few headers."""
    of_table = _parsed(schema)
    return ManifestHeader(
        tuple(_tuple_ids(json.loads(avro))),
        _transforms(_parsed(spec)),
        None if spec_id is None else spec_id.decode(),
        _id(of_table.get("schema-id", 0)) if isinstance(of_table, Mapping) else None,
        _columns(of_table),
    )


def _columns(schema: Any) -> Columns | None:
    fields = schema.get("fields") if isinstance(schema, Mapping) else None
    try:
        return columns_of(fields) if isinstance(fields, list) else None
    except RecursionError:
        return None


def _id(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _parsed(content: bytes | None) -> Any:
    try:
        return None if content is None else json.loads(content)
    except (ValueError, RecursionError):
        return None


def _transforms(spec: Any) -> Transforms | None:
    fields = spec.get("fields") if isinstance(spec, Mapping) else spec  # some writers tell the whole spec
    if not isinstance(fields, list) or not all(isinstance(field, Mapping) for field in fields):
        return None
    return tuple((_id(field.get("source-id")), str(field.get("transform"))) for field in fields)


def columns_of(fields: list[Any]) -> Columns:
    """Of the fields of a schema as JSON."""
    return frozenset(
        (_id(field.get("id")), str(field.get("name")), _type(field.get("type")))
        for field in fields
        if isinstance(field, Mapping)
    )


def _type(kind: Any) -> str:
    """Without what does not decide how values are read: docs, and order of names."""
    return json.dumps(_bare(kind), sort_keys=True).replace(" ", "")


def _bare(kind: Any) -> Any:
    if isinstance(kind, Mapping):
        return {name: _bare(value) for name, value in kind.items() if name not in NOT_COMPARED}
    return [_bare(one) for one in kind] if isinstance(kind, list) else kind


NOT_COMPARED = ("doc", "required", "element-required", "value-required", "initial-default", "write-default")


def _tuple_ids(schema: Any) -> Iterator[tuple[str, int | None]]:
    for field in _fields(schema):
        if field.get("name") == "data_file":
            for inside in _fields(field.get("type")):
                if inside.get("name") == TUPLE:
                    yield from ((str(one.get("name")), _id(one.get("field-id"))) for one in _fields(inside.get("type")))


def _fields(schema: Any) -> list[Mapping[str, Any]]:
    """Of a record, also one that may be null."""
    if isinstance(schema, list):
        return next((found for one in schema if (found := _fields(one))), [])
    fields = schema.get("fields") if isinstance(schema, Mapping) else None
    return [field for field in fields if isinstance(field, Mapping)] if isinstance(fields, list) else []


def read_summaries(
    spec_id: int,
    fields: Mapping[str, tuple[int, PrimitiveType]],
    location: str,
    manifests: Sequence[tuple[Mapping[str, Any], int]],
) -> dict[str, pa.Table]:
    """For each field of a spec, a table lower, upper (typed), contains_null, contains_nan, present: one row per file.

    Each file has the summary of its manifest. `present` is false if the manifest has none or belongs to another spec.
    `fields`: name to position in the spec and type of the tuples. `manifests`: records of the manifest list, each with
    the number of its live entries. Raises Malformed (Iceberg spec, Manifest Lists).
    """
    summaries = {}
    of_file = pa.array(np.repeat(np.arange(len(manifests)), [files for _, files in manifests]))
    for name, (place, kind) in fields.items():
        rows = [_of_field(manifest, spec_id, place) for manifest, _ in manifests]
        try:
            bounds = {
                side: decode(pa.array([row and row[f"{side}_bound"] for row in rows], pa.binary()), kind)
                for side in ("lower", "upper")
            }
        except Undecodable as error:
            raise Malformed(location, f"holds {error}: partition summary of {name}") from error
        summaries[name] = pa.table(
            bounds
            | {
                "contains_null": pa.array([row and row["contains_null"] for row in rows], pa.bool_()),
                "contains_nan": pa.array([row and row.get("contains_nan") for row in rows], pa.bool_()),
                "present": pa.array([row is not None for row in rows], pa.bool_()),
            }
        ).take(of_file)
    return summaries


def _of_field(manifest: Mapping[str, Any], spec_id: int, place: int) -> Mapping[str, Any] | None:
    summaries: Sequence[Mapping[str, Any]] | None = manifest.get("partitions")
    if summaries is None or manifest["partition_spec_id"] != spec_id or place >= len(summaries):
        return None
    return summaries[place]
