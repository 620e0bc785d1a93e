"""What other readers demand of metadata.json that PyIceberg takes as it comes, and the form of it that is not read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyiceberg.transforms import BucketTransform, Transform, TruncateTransform

from xtable_audit.model.malformed import Unread

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata


def leave_inline_manifests(metadata_location: str, raw: Any) -> None:
    """Raises Unread if a snapshot lists its manifests itself, as format version 1 allows (Iceberg spec, Snapshots)."""
    snapshots = raw.get("snapshots") if isinstance(raw, dict) and raw.get("format-version") == 1 else None
    for one in snapshots if isinstance(snapshots, list) else ():
        if isinstance(one, dict) and "manifest-list" not in one and isinstance(one.get("manifests"), list):
            reason = f"lists the manifests of snapshot {one.get('snapshot-id')} in itself, a form of format version 1"
            raise Unread(metadata_location, f"{reason} that is not read here")


def demand_what_java_does(metadata: TableMetadata) -> None:
    """Field ids and numbers of transforms are of type int (Iceberg spec, Schemas and Partition Transforms), and
    partition fields have names (PartitionSpec.Builder). Raises ValueError.
    """
    for schema in metadata.schemas:
        for id in schema.field_ids:
            if not -(1 << 31) <= id < 1 << 31:
                raise ValueError(f"schema {schema.schema_id} has the field id {id}, which is no 32-bit integer")
    for spec in metadata.partition_specs:
        if not all(field.name for field in spec.fields):
            raise ValueError(f"partition spec {spec.spec_id} has a field without a name")
    transforms = [field.transform for spec in metadata.partition_specs for field in spec.fields]
    transforms += [field.transform for order in metadata.sort_orders for field in order.fields]
    for transform in transforms:
        number = _number(transform)
        if number is not None and not 0 < number < 1 << 31:
            raise ValueError(f"the number of the transform {transform} is no positive 32-bit integer")


def _number(transform: Transform[Any, Any]) -> int | None:
    match transform:
        case BucketTransform():
            return transform.num_buckets
        case TruncateTransform():
            return transform.width
    return None
