"""Recorded translations in a live run: over the very sources, by the very classes, and never anything else."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lab.provision import translations as module
from lab.provision.dataset import Dataset, Stage
from lab.provision.history import SYNCS
from lab.provision.live_or_recorded import (
    NEWEST,
    TRANSLATED,
    ChosenTranslation,
    RecordedTranslations,
    archives_of,
    newest_of,
    translated_from,
)
from lab.provision.plan import Plan
from lab.provision.progress import Progress
from lab.provision.source_stats import STATS
from lab.provision.translations import Translations
from lab.recording.provenance import seal
from lab.stack.cache import Cache
from lab.stack.versions import releases
from lab.store.address import BUCKET, prefix_of
from lab.store.disk import METADATA, Disk
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from xtable.replay import SOURCES, SUFFIX, pack
from xtable.writer import ICEBERG, KERNEL, STANDALONE, Writer
from xtable_audit.model.problem import Problem

TABLE = BATTERY["history_delete"]
RELEASE, CLASSES = releases()[0].version, "the classes that wrote it"
LOCATION = f"s3://{BUCKET}/{prefix_of(TABLE.name)}/metadata/v2.metadata.json"
SYNCED = [
    {"stage": stage, "kind": kind, "release": RELEASE, "location": LOCATION}
    | {"failure": None, "log": "", "seconds": 1.0, "touched": []}
    for stage, kind in enumerate(["first", "incremental", "full"])
]


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """A source of two stages."""
    stages = []
    for number in ("1", "2"):
        tree = tmp_path / "source" / number
        (tree / ".hoodie").mkdir(parents=True)
        (tree / ".hoodie" / f"{number}.commit").write_text(number)
        (tree / "a.parquet").write_text("PAR1")
        stages.append(Stage(number, {"a.parquet": 4}, tree=tree))
    return Dataset(TABLE, prefix_of(TABLE.name), tuple(stages), "a-key")


@pytest.fixture
def archives(dataset: Dataset, tmp_path: Path) -> Path:
    """A recording of its translation."""
    recorded = tmp_path / "recorded"
    (recorded / TABLE.name / METADATA).mkdir(parents=True)
    (recorded / TABLE.name / METADATA / "v2.metadata.json").write_text("{}")
    (recorded / f"{TABLE.name}.{SYNCS}").write_text(json.dumps(SYNCED))
    (recorded / f"{TABLE.name}.{STATS}").write_text("{}")
    sealed(recorded, {TABLE.name: translated_from(dataset.stages, CLASSES) | {"on": "2026-11-23"}})
    (tmp_path / "sources").mkdir()
    seal(tmp_path / "sources", datasets=[])
    pack(recorded, tmp_path / "recordings" / f"{RELEASE}{SUFFIX}")
    pack(tmp_path / "sources", tmp_path / "recordings" / f"{SOURCES}{SUFFIX}")
    return tmp_path / "recordings"


def sealed(recorded: Path, translated: dict[str, Any] | None) -> None:
    facts = {} if translated is None else {TRANSLATED: translated}
    seal(recorded, datasets=[TABLE.name], release=RELEASE, **facts)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def test_a_translation_over_the_same_source_by_the_same_classes_is_the_recorded_one(
    dataset: Dataset, archives: Path, cache: Cache
) -> None:
    found = RecordedTranslations(cache, RELEASE, BUCKET, archives).find(dataset, CLASSES)
    assert found is not None
    assert found.day == "2026-11-23"
    assert (found.kept / METADATA / "v2.metadata.json").read_text() == "{}"
    assert [json.loads((found.kept / SYNCS).read_text()), (found.kept / STATS).read_text()] == [SYNCED, "{}"]


@pytest.fixture
def to_delta(dataset: Dataset, archives: Path, tmp_path: Path) -> Path:
    """The archives, with one of its translation by Delta Kernel."""
    recorded, tree = tmp_path / "recorded-delta", dataset.stages[-1].tree
    assert tree is not None
    (recorded / TABLE.name / KERNEL.folder).mkdir(parents=True)
    (recorded / TABLE.name / KERNEL.folder / f"{0:020}.json").write_text("{}")
    location = LOCATION.replace("metadata/v2.metadata", f"{KERNEL.folder}/{0:020}")
    (recorded / f"{TABLE.name}.{SYNCS}").write_text(json.dumps([sync | {"location": location} for sync in SYNCED]))
    facts = translated_from(dataset.stages, CLASSES) | {"on": "2026-11-25", NEWEST: newest_of(tree)}
    sealed(recorded, {TABLE.name: facts})
    pack(recorded, archives_of(KERNEL, archives) / f"{RELEASE}{SUFFIX}")
    return archives


def test_a_translation_to_another_target_is_its_own_recording(dataset: Dataset, to_delta: Path, cache: Cache) -> None:
    recorded = RecordedTranslations(cache, RELEASE, BUCKET, to_delta)
    [to_iceberg, to_kernel, to_standalone] = [
        recorded.find(dataset, CLASSES, writer) for writer in (ICEBERG, KERNEL, STANDALONE)
    ]
    assert (to_iceberg and to_iceberg.day, to_kernel and to_kernel.day) == ("2026-11-23", "2026-11-25")
    assert to_kernel is not None
    assert [path.name for path in (to_kernel.kept / KERNEL.folder).iterdir()] == [f"{0:020}.json"]
    assert to_standalone is None


def test_a_recorded_run_replays_another_target_over_the_recorded_source(
    dataset: Dataset, to_delta: Path, cache: Cache
) -> None:
    recorded, source = RecordedTranslations(cache, RELEASE, BUCKET, to_delta), dataset.stages[-1].tree
    assert recorded.replayed(replace(dataset, tree=source), KERNEL).day == "2026-11-25"


@pytest.mark.parametrize(
    ("writer", "stage", "words"),
    [
        (STANDALONE, -1, "There is no recording of XTable .* to Delta by Delta Standalone"),
        (KERNEL, 0, "history_delete was recorded anew since XTable .* to Delta by Delta Kernel was"),
    ],
    ids=["no recording", "another source"],
)
def test_a_recorded_run_replays_nothing_else(
    writer: Writer, stage: int, words: str, dataset: Dataset, to_delta: Path, cache: Cache
) -> None:
    source = replace(dataset, tree=dataset.stages[stage].tree)
    with pytest.raises(Problem, match=words):
        RecordedTranslations(cache, RELEASE, BUCKET, to_delta).replayed(source, writer)


def test_a_table_of_another_target_is_shown_beside_its_source(
    dataset: Dataset, to_delta: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two Delta logs of one source cannot have one address."""
    run = translations(RECORDED, to_delta, tmp_path, monkeypatch)
    found = run.xtable(replace(dataset, tree=dataset.stages[-1].tree), KERNEL)
    shown = f"s3://{BUCKET}/{KERNEL.id}/{TABLE.name}"
    assert found.metadata_location == f"{shown}/{KERNEL.folder}/{0:020}.json"
    assert {sync.metadata_location for sync in found.syncs} == {found.metadata_location}
    names = [
        key.removeprefix(f"{found.dataset.prefix}/")
        for key in Disk(tmp_path / "disk", BUCKET).files(found.dataset.prefix)
    ]
    assert names == [".hoodie/2.commit", f"{KERNEL.folder}/{0:020}.json", "a.parquet"]


def test_other_classes_are_no_recorded_ones(dataset: Dataset, archives: Path, cache: Cache) -> None:
    assert RecordedTranslations(cache, RELEASE, BUCKET, archives).find(dataset, "others") is None


CHANGES: dict[str, Callable[[Path], object]] = {
    "a file of the first stage": lambda trees: (trees / "1" / "a.parquet").write_text("PAR2"),
    "a file more": lambda trees: (trees / "2" / "b.parquet").write_text("PAR1"),
    "a file fewer": lambda trees: (trees / "1" / "a.parquet").unlink(),
    "a file renamed": lambda trees: (trees / "2" / "a.parquet").rename(trees / "2" / "c.parquet"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_another_source_is_no_recorded_one(
    change: Callable[[Path], object], dataset: Dataset, archives: Path, cache: Cache, tmp_path: Path
) -> None:
    change(tmp_path / "source")
    assert RecordedTranslations(cache, RELEASE, BUCKET, archives).find(dataset, CLASSES) is None


def test_a_stage_fewer_is_another_source(dataset: Dataset, archives: Path, cache: Cache) -> None:
    one = replace(dataset, stages=dataset.stages[1:])
    assert RecordedTranslations(cache, RELEASE, BUCKET, archives).find(one, CLASSES) is None


def test_another_bucket_has_no_recorded_addresses(dataset: Dataset, archives: Path, cache: Cache) -> None:
    assert RecordedTranslations(cache, RELEASE, "another", archives).find(dataset, CLASSES) is None


def test_a_release_that_is_not_recorded_has_none(dataset: Dataset, archives: Path, cache: Cache) -> None:
    assert RecordedTranslations(cache, releases()[-1].version, BUCKET, archives).find(dataset, CLASSES) is None


def test_an_older_recording_notes_no_digests(dataset: Dataset, archives: Path, cache: Cache, tmp_path: Path) -> None:
    sealed(tmp_path / "recorded", None)
    pack(tmp_path / "recorded", archives / f"{RELEASE}{SUFFIX}")
    assert RecordedTranslations(cache, RELEASE, BUCKET, archives).find(dataset, CLASSES) is None


def test_the_published_tables_have_none(dataset: Dataset, archives: Path, cache: Cache) -> None:
    published = replace(dataset, recipe=RECIPES["good_layout"])
    assert RecordedTranslations(cache, RELEASE, BUCKET, archives).find(published, CLASSES) is None


def test_a_truncated_recording_is_one_sentence(dataset: Dataset, archives: Path, cache: Cache) -> None:
    archive = archives / f"{RELEASE}{SUFFIX}"
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises(Problem, match=r"cannot be unpacked .* Restore recordings/ with git"):
        RecordedTranslations(cache, RELEASE, BUCKET, archives).find(dataset, CLASSES)


# in a run

RECORDED = Plan(xtable=RELEASE, translations="recorded", sync_through="mount")
LIVE: dict[str, Plan] = {
    "live by default": replace(RECORDED, translations="live"),
    "an upgrade in place": replace(RECORDED, upgrade_from=releases()[-1].version),
    "another zone": replace(RECORDED, zone="Asia/Kolkata"),
}


class Synced(Exception):
    """XTable would sync."""


def translations(plan: Plan, archives: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Translations:
    def sync(*_: object) -> None:
        raise Synced

    monkeypatch.setenv("XTABLE_AUDIT_CACHE", str(folder / "cache"))
    monkeypatch.setattr(module, "digest_of_classes", lambda _: CLASSES)
    monkeypatch.setattr(module, "resolve_xtable_jars", lambda _: ())
    monkeypatch.setattr(Translations, "_sync", sync)
    monkeypatch.setattr(Translations, "_digest", lambda *_: "")
    monkeypatch.setattr(Plan, "archives", archives)
    choice = ChosenTranslation("live", RELEASE)
    disk = Disk(folder / "disk", BUCKET)
    return Translations(plan, choice, disk, lambda: pytest.fail("no store"), Progress(Console(quiet=True)), folder)


def test_a_recorded_translation_is_not_synced_again(
    dataset: Dataset, archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = translations(RECORDED, archives, tmp_path, monkeypatch)
    assert run.xtable(dataset).metadata_location == LOCATION
    assert [sync.kind for sync in run.xtable(dataset).syncs] == ["first", "incremental", "full"]
    assert run.recorded_on == {TABLE.name: "2026-11-23"}


def test_without_a_full_sync_where_the_other_run_has_none(
    dataset: Dataset, archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = translations(replace(RECORDED, incremental_only=True), archives, tmp_path, monkeypatch)
    assert [sync.kind for sync in run.xtable(dataset).syncs] == ["first", "incremental"]


@pytest.mark.parametrize("plan", LIVE.values(), ids=LIVE)
def test_xtable_syncs_what_no_recording_answers(
    plan: Plan, dataset: Dataset, archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = translations(plan, archives, tmp_path, monkeypatch)
    with pytest.raises(Synced):
        run.xtable(dataset)
    assert run.recorded_on == {TABLE.name: None}


def test_xtable_syncs_over_another_source(
    dataset: Dataset, archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "source" / "1" / "a.parquet").write_text("PAR2")
    with pytest.raises(Synced):
        translations(RECORDED, archives, tmp_path, monkeypatch).xtable(dataset)


IN_PLACE = Plan(xtable=RELEASE, upgrade_from=releases()[-1].version)
KEYS = {
    "to Iceberg": (IN_PLACE, ICEBERG, set[str]()),
    "by Kernel": (replace(IN_PLACE, target="delta", delta_target_by="kernel"), KERNEL, {"writer"}),
    "by Kernel after Standalone": (
        replace(IN_PLACE, target="delta", delta_target_by="kernel-after-standalone"),
        KERNEL,
        {"writer", "begun_by"},
    ),
}


@pytest.mark.parametrize(("plan", "writer", "more"), KEYS.values(), ids=KEYS)
def test_the_key_of_an_upgrade_in_place_names_its_writers_but_for_iceberg(
    plan: Plan,
    writer: Writer,
    more: set[str],
    dataset: Dataset,
    archives: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys: list[dict[str, object]] = []
    run = translations(plan, archives, tmp_path, monkeypatch)

    def key_of(**parts: object) -> str:
        keys.append(parts)
        return "key"

    monkeypatch.setattr(module, "key_of", key_of)
    monkeypatch.setattr(Writer, "demand", lambda *_: None)
    with pytest.raises(Synced):
        run.xtable(dataset, writer)
    of_iceberg = {"dataset", "prefix", "releases", "history", "through", "stats", "since"}
    assert set(keys[0]) - of_iceberg == more
    assert keys[0].get("begun_by", STANDALONE.id) == STANDALONE.id
