"""Where a run shows a table's metadata on its disk."""

from __future__ import annotations

from pathlib import Path

from provision.datasets import Dataset
from store.disk import Disk


def show_again(disk: Disk, dataset: Dataset, id: str, metadata: Path) -> str:
    """Shows the source a second time, with this metadata, and returns the key of that table."""
    assert dataset.tree is not None
    prefix = f"{id}/{dataset.recipe.name}"
    disk.show(prefix, dataset.tree)
    disk.show_metadata(prefix, metadata, metadata.name)
    return prefix
