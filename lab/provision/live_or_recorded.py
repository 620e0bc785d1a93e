"""Where XTable's metadata comes from in a run: a release or a jar that runs, or a recording, also of a live run.

The provenance of a recorded release notes both digests, and the day, for each table of the battery; older recordings
note none, and no translation is taken from them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lab.provision.dataset import Dataset, Stage
from lab.provision.history import SYNCS
from lab.provision.made_once import OnceEach
from lab.provision.plan import ON_REQUEST, Plan
from lab.provision.source_stats import STATS
from lab.provision.targets import demand_recorded_on_request, writers_of
from lab.stack.cache import Cache, key_of
from lab.stack.jars import Unresolvable, check_resolvable, is_resolvable
from lab.stack.versions import release, releases
from spark_jobs.battery.table import BatteryTable
from xtable.bundled import check_bundle
from xtable.replay import (
    BATTERY_RECORDINGS,
    RECORDINGS,
    SUFFIX,
    Recording,
    checked,
    checksums,
    newest_recording,
    not_recorded,
    recorded_releases,
    unpacked,
)
from xtable.settings import UTC
from xtable.writer import ICEBERG as TO_ICEBERG
from xtable.writer import WRITERS, Way, Writer
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import ICEBERG

# Translations of a live run from recordings: over the very sources of the run, by the very classes of the release.

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

    def find(self, dataset: Dataset, classes: str, writer: Writer = TO_ICEBERG) -> RecordedTranslation | None:
        """None unless source and classes are those of the recording. Raises Problem for a broken recording."""
        recording, name = self._opened(writer.id), dataset.recipe.name
        if recording is None or (writer is TO_ICEBERG and not isinstance(dataset.recipe, BatteryTable)):
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
    return archives if writer is TO_ICEBERG else archives / writer.id


def _is_of(path: str, name: str) -> bool:
    """Whether a recorded file is the table's: below `<name>/`, or `<name>.<what>`."""
    return path.startswith((f"{name}/", f"{name}."))


NONE_RESOLVES = "no release resolves here, neither from the local Maven repository nor online"


@dataclass(frozen=True)
class ChosenTranslation:
    """Where XTable's metadata comes from in this run, decided before the first test."""

    mode: Literal["live", "recorded", "absent"]
    release: str
    """XTable's version. For a user's jar, the version in it, else its name."""
    reason: str = ""
    """Why it is not live, as a clause."""
    datasets: tuple[str, ...] | None = None
    """The datasets in the recording of an upgrade in place; None if all are available."""
    recorded_on: str | None = None
    """The day on which the recording was made, as in ISO 8601."""


def decide(plan: Plan) -> ChosenTranslation:
    """The translation that the options select.

    Raises Problem for what is no version or an unusable jar, Unresolvable for a release that no repository has. A known
    release exists: if it does not resolve here, what needs no XTable runs all the same.
    """
    choice = _chosen(plan)
    if choice.mode == "live" and plan.upgrade_from and not (since := release(plan.upgrade_from)).known:
        check_resolvable(since)
    return choice


def _chosen(plan: Plan) -> ChosenTranslation:
    if plan.xtable_jar is not None:
        return ChosenTranslation("live", check_bundle(plan.xtable_jar))
    if plan.recorded or plan.xtable == "recorded":
        return _recorded(plan, "the options select recordings only")
    if plan.xtable == "auto":
        for candidate in releases():
            if is_resolvable(candidate):
                return ChosenTranslation("live", candidate.version)
        if plan.zone != UTC:
            raise Unresolvable(f"--zone {plan.zone}: {NONE_RESOLVES}, and recordings were made in {UTC}.")
        if plan.source_format in ON_REQUEST:
            try:
                demand_recorded_on_request(plan)
            except Problem as problem:
                raise Unresolvable(f"--source-format {plan.source_format}: {NONE_RESOLVES}, and {problem}") from None
        return _recorded(plan, NONE_RESOLVES)
    named = release(plan.xtable)
    try:
        check_resolvable(named)
    except Unresolvable:
        if not named.known:
            raise
        return ChosenTranslation(
            "absent", named.version, "it resolves neither from the local Maven repository nor online"
        )
    return ChosenTranslation("live", named.version)


def _recorded(plan: Plan, reason: str) -> ChosenTranslation:
    """The recorded release of `--xtable`, else the newest. Raises Problem for a release that is not recorded."""
    if plan.source_format == ICEBERG:
        return _recorded_elsewhere(plan, reason)
    packed = unpacked(plan.archives, Cache()) if plan.source_format in ON_REQUEST else RECORDINGS
    version = newest_recording(packed) if plan.xtable in ("auto", "recorded") else plan.xtable
    if plan.upgrade_from is not None and plan.target != ICEBERG:
        raise Unresolvable("No upgrade in place of a Delta log is recorded: run it live, by a release that resolves.")
    if plan.upgrade_from is not None and plan.reads_by_kernel:
        raise Unresolvable("No upgrade in place by Delta Kernel is recorded: run it live, by a release that resolves.")
    recording = Recording.open(version, packed)
    assert recording.release is not None
    if plan.upgrade_from is None:
        return ChosenTranslation("recorded", recording.release, reason, recorded_on=recording.day)
    in_place = Recording.open(version, unpacked(BATTERY_RECORDINGS, Cache()), plan.upgrade_from)
    return ChosenTranslation("recorded", recording.release, reason, in_place.datasets, in_place.day)


def _recorded_elsewhere(plan: Plan, reason: str) -> ChosenTranslation:
    """As `_recorded`, of tables of which no Iceberg metadata is recorded, which other writers' is beside."""
    archives = archives_of(writers_of(plan)[0], plan.archives)
    packed = unpacked(archives, Cache()) if archives.is_dir() else archives
    version = newest_recording(packed) if plan.xtable in ("auto", "recorded") else release(plan.xtable).version
    if version not in recorded_releases(packed):
        raise not_recorded(Way.of(version), packed)
    day = str(checked(packed / version)["recorded_at"])[:10]
    return ChosenTranslation("recorded", version, reason, recorded_on=day)
