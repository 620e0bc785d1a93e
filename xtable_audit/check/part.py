"""Some columns of a table."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from difflib import get_close_matches

from xtable_audit.model.problem import Problem
from xtable_audit.table.stored_metrics import StoredMetrics


def of_columns(stored: StoredMetrics, named: Collection[str]) -> StoredMetrics:
    """The same metadata with these columns alone; a struct stands for all columns in it. Raises Problem."""
    kept = {leaf.path for leaf in stored.leaves if any(_is_in(leaf.path, name) for name in named)}
    every = [leaf.path for leaf in stored.leaves]
    for name in named:
        if not any(_is_in(path, name) for path in every):
            close = get_close_matches(name, every, n=1)
            hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(every[:8])}"
            raise Problem(f"the table has no column {name} whose values can be judged; {hint}")
    return replace(
        stored,
        leaves=tuple(leaf for leaf in stored.leaves if leaf.path in kept),
        columns={path: table for path, table in stored.columns.items() if path in kept},
        column_sizes={path: sizes for path, sizes in stored.column_sizes.items() if path in kept},
    )


def _is_in(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}.")
