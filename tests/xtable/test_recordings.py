"""Recordings are whole, true to their provenance and of their own addresses, and one tree packs to the same bytes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from pyiceberg.table import StaticTable

from lab.stack.cache import Cache
from lab.stack.versions import releases
from lab.store import moto
from lab.store.address import BUCKET, Workspace, prefix_of
from lab.store.tables import InStore
from spark_jobs.addresses import addresses_in, demand_own_addresses
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from xtable.replay import (
    BATTERY_RECORDINGS,
    PROVENANCE,
    RECORDINGS,
    SOURCES,
    Recording,
    newest_recording,
    pack,
    recorded_releases,
    unpacked,
)
from xtable.target import read_target
from xtable_audit.model.problem import Problem

EVERY = [one.version for one in releases()]
FIFTEEN_MB = 15_000_000


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    for name, content in {"a/x.json": "{}", "a/p=a b/é.parquet": "PAR1", "provenance.json": "{}"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


@cache
def packed() -> Path:
    return unpacked(BATTERY_RECORDINGS, Cache()) / SOURCES


def sources() -> list[str]:
    return [*BATTERY, *(name for name, recipe in RECIPES.items() if recipe.format != "ICEBERG")]


# Recordings are whole, true to their provenance, and go back to where they were made.


def test_every_known_release_is_recorded() -> None:
    assert list(recorded_releases()) == EVERY


def test_the_newest_recording_is_the_newest_release() -> None:
    assert newest_recording() == EVERY[0]


@pytest.mark.parametrize("version", [*EVERY, None])
def test_a_recording_is_what_its_provenance_says(version: str | None) -> None:
    assert Recording.open(version).datasets


def test_all_recordings_stay_within_15_mb() -> None:
    assert sum(path.stat().st_size for path in RECORDINGS.rglob("*") if path.is_file()) < FIFTEEN_MB


@pytest.mark.parametrize("version", EVERY)
def test_a_replayed_table_is_read_in_the_store(version: str) -> None:
    recording = Recording.open(version)
    with moto.start(recording.bucket) as running:
        prefix = recording.upload("good_layout", running.store)
        target = read_target(running.store.uri(prefix), InStore(running.store))
        assert target is not None
        table = StaticTable.from_metadata(target.metadata_location, running.store.pyiceberg())
        assert table.scan().to_arrow().num_rows == recording.sources["written"]["good_layout"]["rows"]


def test_the_native_table_is_replayed_without_a_release() -> None:
    keys = [key for key, _ in Recording.open(None).objects("native_iceberg")]
    assert "tables/native_iceberg/metadata/version-hint.text" in keys


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECORDINGS, tmp_path / "recordings"))


def change(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def drop(path: Path) -> None:
    path.unlink()


def add(path: Path) -> None:
    path.with_name("another").write_bytes(b"")


@pytest.mark.parametrize(
    ("fault", "word"), [(change, "changed"), (drop, "missing"), (add, "not part of the recording")]
)
@pytest.mark.parametrize("folder", ["sources", EVERY[0]])
def test_a_tampered_recording_is_refused(copy: Path, folder: str, fault: Callable[[Path], None], word: str) -> None:
    fault(next(path for path in sorted((copy / folder).rglob("*")) if path.is_file() and path.name != PROVENANCE))
    with pytest.raises(Problem, match=rf"Recorded file .* is {word}\. Restore recordings/"):
        Recording.open(EVERY[0], copy)


def test_a_recording_without_provenance_is_refused(copy: Path) -> None:
    (copy / EVERY[0] / PROVENANCE).write_text("{")
    with pytest.raises(Problem, match=r"has no readable provenance\.json"):
        Recording.open(EVERY[0], copy)


def test_a_release_without_recording_is_answered_with_the_recorded_ones(copy: Path) -> None:
    shutil.rmtree(copy / EVERY[0])
    with pytest.raises(Problem, match=rf"no recording of XTable {EVERY[0]}; there is of: {EVERY[1]}, {EVERY[2]}"):
        Recording.open(EVERY[0], copy)


def test_nothing_recorded_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="Nothing is recorded"):
        newest_recording(tmp_path)


def test_another_bucket_is_refused() -> None:
    with pytest.raises(Problem, match="only be replayed in a bucket named xtable-audit"):
        Recording.open(EVERY[0]).upload("good_layout", Workspace(None, "", "", bucket="mine"))


def test_a_table_that_is_not_recorded_is_answered_with_those_that_are() -> None:
    with pytest.raises(Problem, match=r"nowhere is not in the recording of XTable .* there are: "):
        Recording.open(EVERY[0]).prefix("nowhere")


@pytest.mark.parametrize("version", EVERY)
def test_a_recording_names_the_release_and_stack_that_made_it(version: str) -> None:
    provenance = json.loads((RECORDINGS / version / PROVENANCE).read_text())
    assert (provenance["release"], provenance["stack"]["name"]) == (version, "spark35")


# Packed recordings: the same tree gives the same bytes, and a broken archive is one sentence.


def test_what_was_packed_is_unpacked_under_the_archives_name(tree: Path, tmp_path: Path) -> None:
    pack(tree, tmp_path / "recordings" / "0.4.0.tar.xz")
    found = unpacked(tmp_path / "recordings", Cache(tmp_path / "cache")) / "0.4.0"
    names = {path.relative_to(found).as_posix() for path in found.rglob("*") if path.is_file()}
    assert names == {"a/x.json", "a/p=a b/é.parquet", "provenance.json"}


def test_the_same_tree_gives_the_same_archive(tree: Path, tmp_path: Path) -> None:
    pack(tree, tmp_path / "one.tar.xz")
    for path in tree.rglob("*"):
        os.utime(path, (1, 1))
    pack(tree, tmp_path / "other.tar.xz")
    assert (tmp_path / "one.tar.xz").read_bytes() == (tmp_path / "other.tar.xz").read_bytes()


def test_an_archive_cut_off_is_one_sentence(tree: Path, tmp_path: Path) -> None:
    archive = tmp_path / "recordings" / "0.4.0.tar.xz"
    pack(tree, archive)
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises(Problem, match=r"0\.4\.0\.tar\.xz cannot be unpacked .* Restore recordings/ with git"):
        unpacked(archive.parent, Cache(tmp_path / "cache"))


def test_no_archive_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="Nothing is recorded under"):
        unpacked(tmp_path, Cache(tmp_path / "cache"))


# Every recorded source names its own address alone, so that no finding over it is the harness's own.


def test_a_recorded_source_names_no_other_place() -> None:
    for name in sources():
        tree = (packed() if name in BATTERY else RECORDINGS / SOURCES) / name
        assert demand_own_addresses(tree, f"s3://{BUCKET}/{prefix_of(name)}") > 0, name


def test_a_rollback_and_a_restore_name_what_they_deleted() -> None:
    """Else the first test would look at nothing that could go astray."""
    for name, instant in (("history_rollback", "*.rollback"), ("history_restore", "*.restore")):
        [instant_file] = (packed() / name / ".hoodie").glob(instant)
        assert [
            found for found in addresses_in(instant_file) if found.startswith(f"//{BUCKET}/{prefix_of(name)}/part=")
        ]
