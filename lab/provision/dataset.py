"""A source table, as Spark wrote it or a recording has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lab.provision.sources.known import FORMATS
from lab.provision.stages import Stage
from lab.store.address import Addresses, LocalBucket
from lab.store.tables import Seconds
from spark_jobs.battery.table import BatteryTable
from spark_jobs.recipes import Recipe


@dataclass(frozen=True)
class Dataset:
    """A source table that is shown under `prefix`. `stages` are its history, newest last."""

    recipe: Recipe | BatteryTable
    prefix: str
    stages: tuple[Stage, ...] = ()
    key: str = ""
    """Identifies its content; "" if nothing is kept by it."""
    mode: Literal["live", "recorded"] = "live"
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of what wrote it."""
    syncs: Path | None = None
    """The file with the syncs of a recorded history."""
    recorded_on: str | None = None
    """The day of the recording that the source is restored from, as in ISO 8601; None if Spark wrote it."""
    tree: Path | None = None
    """The newest stage, on this disk."""

    def base_files(self, stage: Stage, store: Addresses) -> Mapping[str, int]:
        """Full URI -> size in bytes of its data files at that stage."""
        at = self._addresses(store)
        return {at.uri(f"{self.prefix}/{path}"): size for path, size in stage.base_files.items()}

    def root(self, store: Addresses) -> str:
        """The address of the table, by which its metadata names it."""
        return self._addresses(store).uri(self.prefix)

    def _addresses(self, store: Addresses) -> Addresses:
        return LocalBucket(store.bucket) if FORMATS[self.recipe.format].is_local else store

    def seconds(self, stage: int) -> Seconds:
        """Those of the commits of Delta that come with this stage, from 1."""
        recipe = self.recipe
        if not isinstance(recipe, BatteryTable):
            return "each"
        if stage == recipe.in_synced_second:
            return "last"
        return "one" if recipe.in_one_second else "each"
