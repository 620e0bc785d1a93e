"""What a table's properties ask writers to store of its columns' metrics (Iceberg, "Table properties")."""

from __future__ import annotations

import re
from collections.abc import Mapping

from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.table.optional_metrics import MetricsMode
from xtable_audit.table.stored_metrics import StoredMetrics

PREFIX = "write.metadata.metrics."
DEFAULT = f"{PREFIX}default"
INFERRED = f"{PREFIX}max-inferred-column-defaults"
MOST = 100
"""Iceberg's default of INFERRED: columns beyond it get no metrics, unless a property names them."""
TRUNCATE = re.compile(r"^truncate\((\d+)\)$")


def modes(stored: StoredMetrics) -> Mapping[str, MetricsMode]:
    """The mode by the column's path, for columns that a property asks to store less of."""
    properties = iceberg_of(stored).metadata.properties
    found = {}
    for leaf in stored.leaves:
        name = next((one for one in (f"{PREFIX}column.{leaf.path}", DEFAULT) if one in properties), None)
        if name is not None:
            mode = _mode(properties[name].lower(), f"{name}={properties[name]}")
        elif len(stored.leaves) > (most := _most(properties)):
            mode = MetricsMode(counts=False, bounds=False, because=f"{INFERRED} is {most}", by_number=True)
        else:
            mode = None
        if mode is not None:
            found[leaf.path] = mode
    return found


def _mode(text: str, because: str) -> MetricsMode | None:
    """None for a mode that stores all, and for one that is unknown."""
    if text in ("none", "counts"):
        return MetricsMode(counts=text == "counts", bounds=False, because=because)
    cut = TRUNCATE.match(text)
    return MetricsMode(counts=True, bounds=True, because=because, length=int(cut[1])) if cut else None


def _most(properties: Mapping[str, str]) -> int:
    text = properties.get(INFERRED, "")
    return int(text) if text.isdigit() else MOST
