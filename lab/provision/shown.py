"""Where a run shows a table's metadata on its disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lab.provision.dataset import Dataset
from lab.store.disk import Disk


def show_again(disk: Disk, dataset: Dataset, id: str, metadata: Path) -> Dataset:
    """Shows the source a second time, with this metadata, and returns it as it is there."""
    assert dataset.tree is not None
    prefix = f"{id}/{dataset.recipe.name}"
    disk.show(prefix, dataset.tree)
    disk.show_metadata(prefix, metadata, metadata.name)
    return replace(dataset, prefix=prefix)
