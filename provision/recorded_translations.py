"""Translations of a live run from recordings: over the very sources of the run, by the very classes of the release.

The provenance of a recorded release notes both digests, and the day, for each table of the battery; older recordings
note none, and no translation is taken from them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from provision.datasets import Dataset
from provision.history import SYNCS
from provision.lazy import OnceEach
from provision.source_stats import STATS
from provision.stages import Stage
from spark_jobs.battery.table import BatteryTable
from stack.cache import Cache, key_of
from store.disk import METADATA
from xtable.archive import SUFFIX, unpacked
from xtable.replay import BATTERY_RECORDINGS, SOURCES, Recording, checksums

TRANSLATED = "translated"
"""The key of the provenance: table -> the facts of `translated_from`, and the day (`on`)."""


def translated_from(stages: Sequence[Stage], classes: str) -> dict[str, str]:
    """What decides a translation: digests of the source at each stage, and of XTable's classes."""
    trees = [checksums(stage.tree) for stage in stages if stage.tree is not None]
    return {"source": key_of(trees=trees), "classes": classes}


@dataclass(frozen=True)
class RecordedTranslation:
    """A folder as a run keeps a translation, and the day of the recording, as in ISO 8601."""

    kept: Path
    day: str


class RecordedTranslations:
    """The translations by one release whose addresses are in `bucket`."""

    def __init__(self, cache: Cache, release: str, bucket: str, archives: Path = BATTERY_RECORDINGS) -> None:
        self._cache = cache
        self._release = release
        self._bucket = bucket
        self._archives = archives
        self._opened = OnceEach(self._open)

    def _open(self, release: str) -> Recording | None:
        if not all((self._archives / f"{name}{SUFFIX}").is_file() for name in (SOURCES, release)):
            return None
        recording = Recording.open(release, unpacked(self._archives, self._cache, SOURCES, release))
        return recording if recording.bucket == self._bucket else None

    def find(self, dataset: Dataset, classes: str) -> RecordedTranslation | None:
        """None unless source and classes are those of the recording. Raises Problem for a broken recording."""
        recording, name = self._opened(self._release), dataset.recipe.name
        if recording is None or not isinstance(dataset.recipe, BatteryTable):
            return None  # of the published tables, no syncs are recorded
        noted = recording.provenance.get(TRANSLATED, {}).get(name)
        today = translated_from(dataset.stages, classes)
        if noted is None or {fact: noted.get(fact) for fact in today} != today:
            return None

        def build(folder: Path) -> None:
            (folder / METADATA).mkdir()
            metadata = recording.root / recording.name / name / METADATA
            if metadata.is_dir():
                shutil.copytree(metadata, folder / METADATA, copy_function=os.link, dirs_exist_ok=True)
            for what in (SYNCS, STATS):
                if (file := recording.beside(name, what)).is_file():
                    os.link(file, folder / what)

        of = {path: digest for path, digest in recording.provenance["checksums"].items() if _is_of(path, name)}
        return RecordedTranslation(self._cache.publish("translation", key_of(recorded=of), build), str(noted["on"]))


def _is_of(path: str, name: str) -> bool:
    """Whether a recorded file is the table's: below `<name>/`, or `<name>.<what>`."""
    return path.startswith((f"{name}/", f"{name}."))
