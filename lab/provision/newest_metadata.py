"""The metadata of a table on a run's disk: the newest, and where a run shows it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lab.store.disk import Disk
from xtable.target import read_target
from xtable_audit.formats.delta.state import delta_below
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem

if TYPE_CHECKING:
    from lab.provision.dataset import Dataset


def newest_iceberg(disk: Disk, prefix: str) -> str:
    """The location of the newest metadata.json under that key. Raises Problem if there is none."""
    location = disk.uri(prefix)
    target = read_target(location, disk)
    if target is None:
        raise Problem(f"There is no Iceberg metadata under {location}/metadata.")
    return target.metadata_location


def newest_delta(disk: Disk, prefix: str) -> str:
    """The location of the newest commit of the Delta table under that key."""
    return delta_below(Objects(disk.filesystem), disk.uri(prefix))[0]


def show_again(disk: Disk, dataset: Dataset, id: str, metadata: Path) -> Dataset:
    """Shows the source a second time, with this metadata, and returns it as it is there."""
    assert dataset.tree is not None
    prefix = f"{id}/{dataset.recipe.name}"
    disk.show(prefix, dataset.tree)
    disk.show_metadata(prefix, metadata, metadata.name)
    return replace(dataset, prefix=prefix)
