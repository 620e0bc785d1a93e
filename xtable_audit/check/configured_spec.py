"""What makes XTable write the partition spec that a Hudi table needs: the line of its configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from xtable_audit.claims.partition import spec_is_the_configured_one
from xtable_audit.formats.target import TargetFormat
from xtable_audit.model.columns import Leaf
from xtable_audit.model.finding import Finding

TRANSFORMS: Mapping[pa.DataType, str] = {
    pa.string(): "VALUE",
    pa.int32(): "VALUE",
    pa.int64(): "VALUE",
    pa.date32(): "DAY:yyyy-MM-dd",
}
"""By the column's type, what partitionSpec must say of it. Of other types the writer's key generator decides."""


def with_spec(target: TargetFormat, finding: Finding, partition_by: Sequence[str], leaves: Sequence[Leaf]) -> Finding:
    """The finding that the spec is another, with the line that sets it. `partition_by` are the Hudi table's columns."""
    if finding.claim != spec_is_the_configured_one.id or (spec := partition_spec(partition_by, leaves)) is None:
        return finding
    words = f"Name the partition columns in the dataset of XTable's configuration, {target.drop}, sync anew"
    return replace(finding, advice=(*finding.advice, f"{words} (YAML): partitionSpec: {spec}"))


def partition_spec(partition_by: Sequence[str], leaves: Sequence[Leaf]) -> str | None:
    """XTable's partitionSpec, `field:TRANSFORM[:format],…`; None if a column is of another type, or in a struct."""
    known = {one.path: TRANSFORMS[one.arrow] for one in leaves if one.parent is None and one.arrow in TRANSFORMS}
    if not partition_by or not {*partition_by} <= known.keys():
        return None
    return ",".join(f"{name}:{known[name]}" for name in partition_by)
