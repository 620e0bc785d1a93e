"""The names that sources have for Delta's types."""

from __future__ import annotations

from xtable_audit.model.columns import Leaf

NAMES = {
    "integer": ("int",),
    "byte": ("byte", "int"),
    "short": ("short", "int"),
    "binary": ("bytes", "fixed"),
    "timestamp_ntz": ("timestamp_ntz", "timestamp"),
}
"""Where they are others, or several."""


def source_types(leaf: Leaf) -> tuple[str, ...]:
    """The names that sources have for the column's type (`xtable_audit.model.source_fact.LEAF_TYPES`)."""
    type = str(leaf.type)
    return ("decimal",) if type.startswith("decimal") else NAMES.get(type, (type,))
