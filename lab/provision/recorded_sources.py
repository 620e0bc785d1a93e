"""Source tables restored from recordings, the battery's at every stage, so that Spark does not write them again."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.provision.dataset import ROWS
from lab.provision.made_once import OnceEach
from lab.provision.plan import Plan
from lab.provision.sources.every_source import FORMATS
from lab.stack.cache import SEAL, Cache, key_of
from lab.stack.versions import stack, stack_with_hudi
from lab.store.address import prefix_of
from spark_jobs.battery.table import BatteryTable
from spark_jobs.recipes import Recipe
from xtable.replay import PROVENANCE, RECORDINGS, SOURCES, SUFFIX, Recording, unpacked

KIND = "restored"
WRITTEN, EARLIER = "written.json", "earlier"


def written_key(table: BatteryTable, root: str) -> str:
    """A key of what decides what Spark writes below an address: the entry and the versions.

    Not of the writer's own code, which changes more often than the tables do.
    """
    row = stack_with_hudi(table.hudi) if table.hudi else stack()
    return key_of(
        entry=table.content,
        in_one_second=table.in_one_second,
        jars=row.jars + FORMATS[table.format].jars(),
        spark=row.spark,
        root=root,
    )


def record_written(kept: Path, folder: Path, name: str, key: str) -> None:
    """Records all that Spark wrote of a table, `kept`, in the folder that holds its newest stage and rows already."""
    recorded = [*(folder / name).rglob("*"), folder / f"{name}.{ROWS}"]
    place = {_digest(path): path.relative_to(folder).as_posix() for path in sorted(recorded) if path.is_file()}
    files = {}
    for path in sorted(path for path in kept.rglob("*") if path.is_file() and path != kept / SEAL):
        digest = _digest(path)
        if digest not in place:
            place[digest] = f"{name}.{EARLIER}/{digest[:16]}"
            (folder / f"{name}.{EARLIER}").mkdir(exist_ok=True)
            shutil.copyfile(path, folder / place[digest])
        files[path.relative_to(kept).as_posix()] = place[digest]
    empty = [path.relative_to(kept).as_posix() for path in sorted(kept.rglob("*")) if _is_empty(path)]
    facts = {"key": key, "files": files, "empty_folders": empty}
    (folder / f"{name}.{WRITTEN}").write_text(json.dumps(facts, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def _is_empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


class RecordedSources:
    """The recorded source tables that are valid below `root`, an address such as `s3://bucket/tables`.

    Without `archives`, none.
    """

    def __init__(self, cache: Cache, root: str, archives: Path | None) -> None:
        self._cache = cache
        self._root = root
        self._archives = archives
        self._opened = OnceEach(self._open)

    @property
    def _recording(self) -> Recording | None:
        return self._opened(SOURCES)

    def _open(self, name: str) -> Recording | None:
        if self._archives is None or not (self._archives / f"{name}{SUFFIX}").is_file():
            return None
        return Recording.open(None, unpacked(self._archives, self._cache, name))

    def recorded_on(self, table: BatteryTable) -> str | None:
        """The day of the recording that holds the table as this machine would write it; None if none does.

        Raises Problem for a broken recording.
        """
        return self._recording.day if self._recording and self._facts(table) else None

    def restored(self, table: BatteryTable) -> Path:
        """The folder that Spark wrote, byte for byte (see `Battery.kept`). Raises Problem for a broken recording."""
        recording, facts = self._recording, self._facts(table)
        assert recording is not None
        assert facts is not None
        source = recording.root / SOURCES

        def build(folder: Path) -> None:
            for empty in facts["empty_folders"]:
                (folder / empty).mkdir(parents=True)
            for name, place in facts["files"].items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                os.link(source / place, folder / name)

        return self._cache.publish(KIND, key_of(**facts, digests=_digests(recording, facts)), build)

    def _facts(self, table: BatteryTable) -> dict[str, Any] | None:
        """What `record_written` noted of the table; None if it noted nothing, or the key is another one today."""
        assert self._recording is not None
        path = self._recording.beside(table.name, WRITTEN, source=True)
        if not path.is_file():
            return None
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return facts if facts["key"] == written_key(table, self._root) else None


def _digests(recording: Recording, facts: dict[str, Any]) -> list[str]:
    checksums = recording.sources["checksums"]
    return [checksums[place] for _, place in sorted(facts["files"].items())]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


FACTS = "facts.json"
TREE = "tree"
"""What is kept of such a table: the facts that Spark's job returned, and the table."""


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
