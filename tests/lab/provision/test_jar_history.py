"""A history played by a jar's command line: a stand-in for it leaves in the store what RunSync would."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab.provision.dataset import Dataset, Stage
from lab.provision.history import play
from lab.provision.translator_pool import JAR, Translators, without_full_sync
from lab.store import moto, objects
from lab.store.address import Workspace
from lab.store.running import RunningStore
from lab.store.tables import InStore
from spark_jobs.recipes import RECIPES
from tests.lab.provision.test_history import SOURCE, Release, two_stages
from xtable.bundled import Bundle, check_bundle
from xtable.replay import RECORDINGS, SOURCES
from xtable_audit.model.sync import Sync

OURS = "XTABLE_AUDIT_TEST_JAR"
"""Path of a bundled jar, for the one test that runs it."""


@pytest.fixture(scope="module")
def running() -> Iterator[RunningStore]:
    with moto.start() as store:
        yield store


@pytest.fixture
def table(tmp_path: Path) -> Dataset:
    return Dataset(SOURCE, f"t-{tmp_path.name}", tuple(two_stages(tmp_path)))


class Jar:
    """Replaces the command line: notes the files it finds, writes metadata, fails at the calls given."""

    def __init__(self, path: Path, store: Workspace) -> None:
        self.path = path
        self.met: list[str] = []
        self.fails_at: tuple[int, ...] = ()
        self._store = store

    def main(self, bundle: Bundle, location: str) -> str:
        base = self._store.key(location)
        there = sorted(objects.list_objects(self._store, base))
        self.met.append(" ".join(Path(key).name for key in there if "/metadata/" not in key))
        if len(self.met) in self.fails_at:
            bundle._log.parent.mkdir(parents=True, exist_ok=True)
            bundle._log.write_text(f"2026-11-21 12:00:00 ERROR RunSync - Error running sync for {base}\nno luck\n")
            return ""
        version = sum("/metadata/" in key for key in there) + 1
        found = {"current-snapshot-id": version, "properties": {"XTABLE_METADATA": "{}"}}
        objects.write(self._store, f"{base}/metadata/v{version}.metadata.json", json.dumps(found).encode())
        return ""


@pytest.fixture
def jar(tmp_path: Path, running: RunningStore, monkeypatch: pytest.MonkeyPatch) -> Jar:
    made = Jar(tmp_path / "my-bundled.jar", running.store)
    monkeypatch.setattr("xtable.bundled.find_java", lambda wanted: tmp_path)
    monkeypatch.setattr("xtable.bundled.check_bundle", lambda path: path.name)
    monkeypatch.setattr(Bundle, "_running", lambda bundle: SimpleNamespace(kill=lambda: None))
    monkeypatch.setattr(Bundle, "_call", lambda bundle, jvm, asked: made.main(bundle, asked.location))
    return made


def played(table: Dataset, running: RunningStore, jar: Jar, since: str | None = None) -> list[Sync]:
    calls: list[tuple[str, str]] = []
    tables = InStore(running.store)
    with Translators(jar.path, tables, jar.path.parent).of_table(alone=False) as translator_of:
        of: dict[str, Any] = {since: Release(since, calls, ())} if since else {}
        timeline = play(table, tables, JAR, lambda name: of.get(name) or translator_of(name), since)
        return list(without_full_sync(timeline))


def test_each_stage_is_synced_and_none_in_full(table: Dataset, running: RunningStore, jar: Jar) -> None:
    found = played(table, running, jar)
    assert [(one.stage, one.kind) for one in found] == [(0, "first"), (1, "incremental"), (1, "idle")]
    assert len(jar.met) == 3


def test_each_sync_meets_its_own_stage(table: Dataset, running: RunningStore, jar: Jar) -> None:
    played(table, running, jar)
    assert jar.met == ["old.parquet", "new.parquet", "new.parquet"]


def test_each_sync_is_reported_with_the_metadata_that_it_left(table: Dataset, running: RunningStore, jar: Jar) -> None:
    found = played(table, running, jar)
    base = running.store.uri(table.prefix)
    assert [one.metadata_location for one in found] == [
        f"{base}/metadata/v{number}.metadata.json" for number in (1, 2, 3)
    ]


def test_a_failure_is_reported_and_the_next_sync_is_made(table: Dataset, running: RunningStore, jar: Jar) -> None:
    jar.fails_at = (2,)
    found = played(table, running, jar)
    assert [bool(one.failure) for one in found] == [False, True, False]
    assert found[1].metadata_location == found[0].metadata_location


def test_after_a_release_the_jar_makes_all_later_syncs(table: Dataset, running: RunningStore, jar: Jar) -> None:
    found = played(table, running, jar, since="0.3.0")
    assert [one.release for one in found] == ["0.3.0", *["my-bundled.jar"] * 3]
    assert [one.kind for one in found] == ["first", "incremental", "incremental", "idle"]


def test_a_jar_named_as_the_release_before_it_is_named_apart(
    table: Dataset, running: RunningStore, jar: Jar, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build of one's own has the number of the release that it is built from."""
    monkeypatch.setattr("xtable.bundled.check_bundle", lambda jar: "0.3.0")
    played(table, running, jar, since="0.3.0")
    assert len(jar.met) == 3


def test_another_build_of_the_jar_is_another_translation(jar: Jar, running: RunningStore) -> None:
    digests = set()
    for content in (b"one", b"two"):
        jar.path.write_bytes(content)
        digests.add(Translators(jar.path, InStore(running.store), jar.path.parent).digest(JAR, lambda *_: None))
    assert len(digests) == 2


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.skipif(OURS not in os.environ, reason=f"{OURS} names no bundled jar")
def test_a_real_jar_plays_a_history(running: RunningStore, tmp_path: Path) -> None:
    path = Path(os.environ[OURS])
    tree = RECORDINGS / SOURCES / "good_layout"
    table = Dataset(RECIPES["good_layout"], "good", (Stage("written", {}, tree=tree),))
    objects.upload(running.store, "good", tree)
    translators = Translators(path, InStore(running.store), tmp_path)
    try:
        found = list(without_full_sync(play(table, InStore(running.store), JAR, translators.named, None)))
    finally:
        translators.stop()
    assert [(one.kind, one.failure, one.release) for one in found] == [
        ("first", None, check_bundle(path)),
        ("idle", None, check_bundle(path)),
    ]
    assert found[0].metadata_location == found[1].metadata_location
