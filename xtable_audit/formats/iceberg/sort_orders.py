"""Sort orders of a table, as far as a file's rows can be held against them (Iceberg spec, Sorting)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyiceberg.transforms import IdentityTransform, UnknownTransform, VoidTransform
from pyiceberg.types import UUIDType

from xtable_audit.formats.iceberg.transforms import derived
from xtable_audit.model.columns import Leaf
from xtable_audit.model.wanted import SortedBy

if TYPE_CHECKING:
    from pyiceberg.table.sorting import SortOrder


def sorted_by(order: SortOrder, leaves: tuple[Leaf, ...]) -> tuple[SortedBy, ...]:
    """Its fields up to the first that is not judged: on a dropped column, of an unknown transform, or of UUIDs, which
    Java and the specification compare in two ways. Rows in the whole order are in that of its first fields too.
    """
    from pyiceberg.table.sorting import NullOrder, SortDirection  # late: a collection reads no metadata

    by_id = {leaf.field_id: leaf for leaf in leaves}
    found: list[SortedBy] = []
    for field in order.fields:
        leaf = by_id.get(field.source_id)
        if leaf is None or isinstance(leaf.type, UUIDType) or isinstance(field.transform, UnknownTransform):
            break
        if isinstance(field.transform, VoidTransform):
            continue
        transform = None if isinstance(field.transform, IdentityTransform) else derived(field.transform, leaf)
        descending, first = field.direction is SortDirection.DESC, field.null_order is NullOrder.NULLS_FIRST
        found.append(SortedBy(leaf.path, descending, first, transform))
    return tuple(found)


def in_words(order: SortOrder, names: Mapping[int, str]) -> str:
    """`city asc nulls-first, bucket[4](id) desc nulls-last`."""
    fields = []
    for field in order.fields:
        name = names.get(field.source_id, "a dropped column")
        source = name if isinstance(field.transform, IdentityTransform) else f"{field.transform}({name})"
        fields.append(f"{source} {field.direction.value} {field.null_order.value}")
    return ", ".join(fields)
