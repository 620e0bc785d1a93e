"""Recordings are whole, true to their provenance, and go back to where they were made."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyiceberg.table import StaticTable

from lab.stack.versions import releases
from lab.store import moto
from lab.store.tables import InStore
from lab.store.workspace import Workspace
from xtable.replay import PROVENANCE, RECORDINGS, Recording, newest_recording, recorded_releases
from xtable.target import read_target
from xtable_audit.model.problem import Problem

EVERY = [one.version for one in releases()]
FIFTEEN_MB = 15_000_000


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
