"""Translations of a live run from recordings: over the very sources of the run, by the very classes of the release.

The provenance of a recorded release notes both digests, and the day, for each table of the battery; older recordings
note none, and no translation is taken from them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.provision.dataset import Dataset
from lab.provision.history import SYNCS
from lab.provision.lazy import OnceEach
from lab.provision.source_stats import STATS
from lab.provision.stages import Stage
from lab.stack.cache import Cache, key_of
from spark_jobs.battery.table import BatteryTable
from xtable.replay import BATTERY_RECORDINGS, SUFFIX, checked, checksums, unpacked
from xtable.writer import ICEBERG, WRITERS, Writer
from xtable_audit.model.problem import Problem

TRANSLATED = "translated"
"""The key of the provenance: table -> the facts of `translated_from`, and the day (`on`)."""
NEWEST = "newest"


def translated_from(stages: Sequence[Stage], classes: str) -> dict[str, str]:
    """What decides a translation: digests of the source at each stage, and of XTable's classes."""
    trees = [checksums(stage.tree) for stage in stages if stage.tree is not None]
    return {"source": key_of(trees=trees), "classes": classes}


def newest_of(tree: Path) -> str:
    """A digest of the source's newest stage, which a recording of another target notes as NEWEST."""
    return key_of(tree=checksums(tree))


@dataclass(frozen=True)
class RecordedTranslation:
    """A folder as a run keeps a translation, and the day of the recording, as in ISO 8601."""

    kept: Path
    day: str


@dataclass(frozen=True)
class Unpacked:
    """The translations by one writer of the release."""

    folder: Path
    provenance: Mapping[str, Any]

    def facts(self, table: str) -> Mapping[str, str] | None:
        """What is noted of the table; None if nothing is."""
        noted: Mapping[str, str] | None = self.provenance.get(TRANSLATED, {}).get(table)
        return noted


class RecordedTranslations:
    """The translations by one release whose addresses are in `bucket`."""

    def __init__(self, cache: Cache, release: str, bucket: str, archives: Path = BATTERY_RECORDINGS) -> None:
        self._cache = cache
        self._release = release
        self._bucket = bucket
        self._archives = archives
        self._opened = OnceEach(self._open)

    def _open(self, writer: str) -> Unpacked | None:
        archives = archives_of(WRITERS[writer], self._archives)
        if not (archives / f"{self._release}{SUFFIX}").is_file():
            return None
        folder = unpacked(archives, self._cache, self._release) / self._release
        provenance = checked(folder)
        return Unpacked(folder, provenance) if provenance["bucket"] == self._bucket else None

    def find(self, dataset: Dataset, classes: str, writer: Writer = ICEBERG) -> RecordedTranslation | None:
        """None unless source and classes are those of the recording. Raises Problem for a broken recording."""
        recording, name = self._opened(writer.id), dataset.recipe.name
        if recording is None or (writer is ICEBERG and not isinstance(dataset.recipe, BatteryTable)):
            return None  # of the published tables, no syncs to Iceberg are recorded
        noted, today = recording.facts(name), translated_from(dataset.stages, classes)
        if noted is None or {fact: noted.get(fact) for fact in today} != today:
            return None
        return self._found(recording, name, writer, noted)

    def replayed(self, dataset: Dataset, writer: Writer) -> RecordedTranslation:
        """The translation of a recorded source. Raises Problem if it is not recorded, or is one of another source."""
        recording, name = self._opened(writer.id), dataset.recipe.name
        what = f"XTable {self._release} to {writer.words}"
        if recording is None:
            raise Problem(f"There is no recording of {what}. Run it live, without --recorded.")
        noted = recording.facts(name)
        if noted is None:
            raise Problem(f"{name} is not in the recording of {what}. Run it live, without --recorded.")
        assert dataset.tree is not None
        if noted.get(NEWEST) != newest_of(dataset.tree):
            raise Problem(f"{name} was recorded anew since {what} was; `make record` records all of it.")
        return self._found(recording, name, writer, noted)

    def _found(self, recording: Unpacked, name: str, writer: Writer, noted: Mapping[str, str]) -> RecordedTranslation:
        def build(folder: Path) -> None:
            (folder / writer.folder).mkdir()
            metadata = recording.folder / name / writer.folder
            if metadata.is_dir():
                shutil.copytree(metadata, folder / writer.folder, copy_function=os.link, dirs_exist_ok=True)
            for what in (SYNCS, STATS):
                if (file := recording.folder / f"{name}.{what}").is_file():
                    os.link(file, folder / what)

        of = {path: digest for path, digest in recording.provenance["checksums"].items() if _is_of(path, name)}
        return RecordedTranslation(self._cache.publish("translation", key_of(recorded=of), build), str(noted["on"]))


def archives_of(writer: Writer, archives: Path = BATTERY_RECORDINGS) -> Path:
    """The folder with the archives of its translations: of another target than Iceberg, one below."""
    return archives if writer is ICEBERG else archives / writer.id


def _is_of(path: str, name: str) -> bool:
    """Whether a recorded file is the table's: below `<name>/`, or `<name>.<what>`."""
    return path.startswith((f"{name}/", f"{name}."))
