"""A history played by a jar's command line: a stand-in for `java` leaves in the store what RunSync would."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.history import Played, Synced, play
from fixtures.stages import Stage
from fixtures.translators import JAR, Translators, but_in_full
from store import moto, objects
from store.running import RunningStore
from tests.run.test_history import Release
from xtable.bundled import check_bundle
from xtable.replay import ROOT, SOURCES

# Notes the files that it finds; each sync leaves a metadata.json of the next version, but for those it is to fail at.
JAVA = """#!{python}
import json, sys
from pathlib import Path
from xml.etree import ElementTree
from pyarrow import fs
given = dict(zip(sys.argv[-4::2], sys.argv[-3::2]))
hadoop = {{e.findtext("name"): e.findtext("value") for e in ElementTree.parse(given["--hadoopConfig"]).getroot()}}
s3 = fs.S3FileSystem(
    endpoint_override=hadoop["fs.s3a.endpoint"],
    access_key=hadoop["fs.s3a.access.key"],
    secret_key=hadoop["fs.s3a.secret.key"],
    region="us-east-1",
)
base = json.loads(Path(given["--datasetConfig"]).read_text())["datasets"][0]["tableBasePath"].partition("://")[2]
there = [i.path for i in s3.get_file_info(fs.FileSelector(base, recursive=True)) if i.is_file]
asked = Path(__file__).parents[1] / "asked"
with asked.open("a") as log:
    log.write(" ".join(Path(path).name for path in sorted(there) if "/metadata/" not in path) + "\\n")
if len(asked.read_text().splitlines()) in {fails_at}:
    print("2026-11-21 12:00:00 ERROR RunSync:180 - Error running sync for " + base)
    print("org.apache.xtable.exception.ReadException: no luck")
else:
    version = len([path for path in there if "/metadata/" in path]) + 1
    with s3.open_output_stream(f"{{base}}/metadata/v{{version}}.metadata.json") as out:
        found = {{"current-snapshot-id": version, "properties": {{"XTABLE_METADATA": "{{}}"}}}}
        out.write(json.dumps(found).encode())
"""
OURS = "XTABLE_AUDIT_TEST_JAR"
"""Path of a bundled jar, for the one test that runs it."""


@pytest.fixture(scope="module")
def running() -> Iterator[RunningStore]:
    with moto.start() as store:
        yield store


@pytest.fixture
def table(tmp_path: Path) -> Played:
    """Of two stages: the second has another file in place of the first one's."""
    stages = []
    for number, name in enumerate(("old.parquet", "new.parquet"), start=1):
        tree = tmp_path / str(number)
        tree.mkdir()
        (tree / name).write_text(name)
        stages.append(Stage(f"step {number}", {name: len(name)}, tree=tree))
    return Played("t", "HUDI", "", f"t-{tmp_path.name}", stages)


class Jar:
    """A bundle, run by the stand-in."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._home = folder / "java"
        self.path = folder / "my-bundled.jar"
        monkeypatch.setattr("xtable.bundled.find_java", lambda wanted: self._home)
        monkeypatch.setattr("xtable.bundled.check_bundle", lambda jar: jar.name)
        (self._home / "bin").mkdir(parents=True)
        self.fail_at()

    def fail_at(self, *calls: int) -> None:
        command = self._home / "bin" / "java"
        command.write_text(JAVA.format(python=sys.executable, fails_at=calls))
        command.chmod(0o755)

    @property
    def met(self) -> list[str]:
        """The source's files, as each sync found them."""
        return (self._home / "asked").read_text().splitlines()


@pytest.fixture
def jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Jar:
    return Jar(tmp_path, monkeypatch)


def played(table: Played, running: RunningStore, jar: Jar, since: str | None = None) -> list[Synced]:
    heard: list[tuple[str, str]] = []
    translators = Translators(jar.path, running.store, jar.path.parent)
    with translators.of_table(alone=False) as translator_of:
        of = {since: Release(since, heard, ())} if since else {}
        return list(but_in_full(play(table, running.store, JAR, lambda n: of.get(n) or translator_of(n), since)))  # type: ignore[arg-type,return-value]


def test_each_stage_is_synced_and_none_in_full(table: Played, running: RunningStore, jar: Jar) -> None:
    found = played(table, running, jar)
    assert [(one.stage, one.kind) for one in found] == [(0, "first"), (1, "incremental"), (1, "idle")]
    assert len(jar.met) == 3


def test_each_sync_meets_its_own_stage(table: Played, running: RunningStore, jar: Jar) -> None:
    played(table, running, jar)
    assert jar.met == ["old.parquet", "new.parquet", "new.parquet"]


def test_each_sync_is_told_with_the_metadata_that_it_left(table: Played, running: RunningStore, jar: Jar) -> None:
    found = played(table, running, jar)
    base = running.store.uri(table.prefix)
    assert [one.location for one in found] == [f"{base}/metadata/v{number}.metadata.json" for number in (1, 2, 3)]


def test_a_failure_is_told_though_the_exit_code_is_0_and_the_next_sync_is_made(
    table: Played, running: RunningStore, jar: Jar
) -> None:
    jar.fail_at(2)
    found = played(table, running, jar)
    assert [bool(one.failure) for one in found] == [False, True, False]
    assert found[1].location == found[0].location


def test_after_a_release_the_jar_makes_all_later_syncs(table: Played, running: RunningStore, jar: Jar) -> None:
    found = played(table, running, jar, since="0.3.0")
    assert [one.release for one in found] == ["0.3.0", *["my-bundled.jar"] * 3]
    assert [one.kind for one in found] == ["first", "incremental", "incremental", "idle"]


def test_a_jar_named_as_the_release_before_it_is_told_from_it(
    table: Played, running: RunningStore, jar: Jar, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build of one's own has the number of the release that it is built from."""
    monkeypatch.setattr("xtable.bundled.check_bundle", lambda jar: "0.3.0")
    played(table, running, jar, since="0.3.0")
    assert len(jar.met) == 3


def test_another_build_of_the_jar_is_another_translation(jar: Jar, running: RunningStore) -> None:
    digests = set()
    for content in (b"one", b"two"):
        jar.path.write_bytes(content)
        digests.add(Translators(jar.path, running.store, jar.path.parent).digest(JAR, lambda *_: None))
    assert len(digests) == 2


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.skipif(OURS not in os.environ, reason=f"{OURS} names no bundled jar")
def test_a_real_jar_plays_a_history(running: RunningStore, tmp_path: Path) -> None:
    path = Path(os.environ[OURS])
    tree = ROOT / SOURCES / "good_layout"
    table = Played("good", "HUDI", "pickup_month:VALUE", "good", [Stage("written", {}, tree=tree)])
    objects.upload(running.store, "good", tree)
    translators = Translators(path, running.store, tmp_path)
    with translators.of_table(alone=False) as translator_of:
        found = list(but_in_full(play(table, running.store, JAR, translator_of, None)))
    assert [(one.kind, one.failure, one.release) for one in found] == [
        ("first", None, check_bundle(path)),
        ("idle", None, check_bundle(path)),
    ]
    assert found[0].location == found[1].location
