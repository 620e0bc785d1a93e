"""Partition summaries in the manifest list. Readers skip whole manifests by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyiceberg.types import PrimitiveType

from xtable_audit.formats.iceberg.single_value import Undecodable, decode
from xtable_audit.model.malformed import Malformed


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
