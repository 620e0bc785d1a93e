"""A check sends no request that could write: pytest and the command, on a store that refuses and notes writes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from lab.store.running import RunningStore
from lab.store.tables import InStore
from tests.hostile.table import Hostile
from tests.store.refusing import Refusing, refusing
from xtable.replay import Recording, newest_recording
from xtable.target import read_target

WAYS = {
    "pytest": ["pytest", "-q", "-p", "no:cacheprovider", "-p", "xtable_audit.pytest_plugin.plugin"],
    "the command": ["xtable_audit", "check"],
}


@pytest.fixture
def lake(moto_store: RunningStore) -> Iterator[tuple[Refusing, str]]:
    """The store, and the address of a table's metadata.json in it."""
    folder = moto_store.store.uri(Recording.open(newest_recording()).upload("good_layout", moto_store.store))
    target = read_target(folder, InStore(moto_store.store))
    assert target
    assert moto_store.store.endpoint
    with refusing(moto_store.store.endpoint) as seen:
        yield seen, target.metadata_location


def run(way: str, location: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs it in an empty folder."""
    more = ["--pyargs", "xtable_audit.pytest_plugin", "--iceberg-table"] if way == "pytest" else []
    last = [] if way == "pytest" else ["--yes", "--no-cache"]
    (folder / "pytest.ini").write_text("[pytest]\n")
    here = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    command = [sys.executable, "-m", *WAYS[way], *more, location, *last]
    return subprocess.run(command, cwd=folder, env=here, capture_output=True, text=True, timeout=150, check=False)


@pytest.mark.parametrize("way", WAYS)
def test_a_whole_check_sends_no_request_that_could_write(lake: tuple[Refusing, str], way: str, tmp_path: Path) -> None:
    seen, location = lake
    ran = run(
        way,
        location,
        tmp_path,
        AWS_ENDPOINT_URL_S3=seen.endpoint,
        AWS_ACCESS_KEY_ID="somebody",
        AWS_SECRET_ACCESS_KEY="secret-of-somebody",
    )
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    assert seen.reads > 4
    assert seen.writes == []
    assert "secret-of-somebody" not in ran.stdout + ran.stderr


@pytest.mark.parametrize("way", WAYS)
def test_a_whole_check_of_a_local_table_leaves_its_folder_as_it_is(hostile: Hostile, way: str, tmp_path: Path) -> None:
    before = {file: (file.stat().st_mtime_ns, file.stat().st_size) for file in hostile.root.rglob("*")}
    folder = tmp_path / "theirs"
    folder.mkdir()
    ran = run(way, str(hostile.metadata), folder)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert {file: (file.stat().st_mtime_ns, file.stat().st_size) for file in hostile.root.rglob("*")} == before
