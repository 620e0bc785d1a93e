"""The tables of the published audit restored from their recording, so that Spark does not write them again."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.provision.plan import Plan
from lab.stack.cache import Cache, key_of
from lab.stack.versions import stack
from lab.store.address import prefix_of
from spark_jobs.recipes import Recipe
from xtable.replay import PROVENANCE, RECORDINGS, SOURCES, Recording

FACTS = "facts.json"
TREE = "tree"
"""What is kept of such a table: the facts that Spark's job returned, and the table."""
KIND = "restored"


def entry_of(recipe: Recipe) -> dict[str, Any]:
    """What the recipe says of the table, for the recording's provenance."""
    return {"format": recipe.format, "partition_by": list(recipe.partition_by), "partition_spec": recipe.partition_spec}


@dataclass(frozen=True)
class RecordedRecipe:
    """A recorded table that Spark would write with the options and versions of today."""

    recipe: Recipe
    recording: Recording

    @classmethod
    def find(cls, recipe: Recipe, plan: Plan, bucket: str, root: Path = RECORDINGS) -> RecordedRecipe | None:
        """None if the table is not recorded with these options. Raises Problem for a broken recording."""
        if not (root / SOURCES / PROVENANCE).is_file():
            return None
        recording = Recording.open(None, root)
        made = recording.sources
        wanted = {
            "stack": json.loads(json.dumps(asdict(stack()))),
            "scale": plan.scale,
            "seed": plan.seed,
            "year": plan.year,
            "bucket": bucket,
        }
        recorded = {name: made.get(name) for name in wanted} == wanted
        alike = made.get("recipes", {}).get(recipe.name) == entry_of(recipe)
        return cls(recipe, recording) if recorded and alike else None

    @property
    def day(self) -> str:
        return self.recording.day

    def restored(self, cache: Cache) -> Path:
        """A folder with the table (`TREE`) and `FACTS`, as a run keeps what Spark wrote."""
        name, source = self.recipe.name, self.recording.root / SOURCES / self.recipe.name
        written = self.recording.sources["written"][name]
        files = [path for path in sorted(source.rglob("*")) if path.is_file()]
        keys = [f"{prefix_of(name)}/{path.relative_to(source).as_posix()}" for path in files]
        facts = {"versions": written["versions"], "told": written, "build": sorted(keys)}

        def build(folder: Path) -> None:
            shutil.copytree(source, folder / TREE)
            (folder / FACTS).write_text(json.dumps(facts, indent=1), encoding="utf-8")

        checksums = self.recording.sources["checksums"]
        digests = [checksums[path.relative_to(source.parent).as_posix()] for path in files]
        return cache.publish(KIND, key_of(**facts, digests=digests), build)
