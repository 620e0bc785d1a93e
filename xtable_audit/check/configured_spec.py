"""What makes XTable write the partition spec that a Hudi table needs: the line of its configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyiceberg.schema import Schema
from pyiceberg.types import DateType, IcebergType, IntegerType, LongType, StringType

from xtable_audit.claims.partition import spec_is_the_configured_one
from xtable_audit.model.finding import Finding

TRANSFORMS: Mapping[type[IcebergType], str] = {
    StringType: "VALUE",
    IntegerType: "VALUE",
    LongType: "VALUE",
    DateType: "DAY:yyyy-MM-dd",
}
"""By the column's type, what partitionSpec must say of it. Of other types the writer's key generator decides."""


def with_spec(finding: Finding, partition_by: Sequence[str], schema: Schema) -> Finding:
    """The finding that the spec is another, with the line that sets it. `partition_by` are the Hudi table's columns."""
    if finding.claim != spec_is_the_configured_one.id or (spec := partition_spec(partition_by, schema)) is None:
        return finding
    words = "Name the partition columns in the dataset of XTable's configuration, drop the Iceberg metadata, sync anew"
    return replace(finding, advice=(*finding.advice, f"{words} (YAML): partitionSpec: {spec}"))


def partition_spec(partition_by: Sequence[str], schema: Schema) -> str | None:
    """XTable's partitionSpec, `field:TRANSFORM[:format],…`; None if a column is of another type, or in a struct."""
    known = {one.name: TRANSFORMS[type(one.field_type)] for one in schema.fields if type(one.field_type) in TRANSFORMS}
    if not partition_by or not {*partition_by} <= known.keys():
        return None
    return ",".join(f"{name}:{known[name]}" for name in partition_by)
