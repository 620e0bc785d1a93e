"""A store that cuts, refuses, changes or lies accuses no healthy table, and a check asks it for no write."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from lab.store.running import RunningStore
from lab.store.tables import InStore
from tests.hostile.conftest import Hostile
from tests.hostile.stores import FAULTS, Faulty, serving
from tests.hostile.test_stores import judged, put
from tests.xtable_audit.access.refusing import Refusing, refusing
from xtable.replay import Recording, newest_recording
from xtable.target import read_target
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.problem import Unreachable
from xtable_audit.model.time_limits import Patience

ONCE = {"503": 0, "cut": 0}
"""Faults that the client itself asks again for."""


def outcome(
    hostile: Hostile,
    moto_store: RunningStore,
    bucket: str,
    fault: str,
    ends: str = ".parquet",
    times: float = math.inf,
) -> tuple[int, int]:
    """The exit status, and how many answers had the fault."""
    location = put(hostile, moto_store, bucket)
    store = Faulty(str(moto_store.store.endpoint), fault, ends, times)
    with serving(store) as served:
        try:
            document = judged(location, served.endpoint, Patience(5.0, 30.0))
        except Unreachable:
            return 6, store.seen
    assert not [one for one in document.claims if one.outcome is Outcome.FINDING], fault
    return document.exit_status, store.seen


@pytest.mark.parametrize("ends", [".parquet", ".avro"], ids=["of data files", "of manifests"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_comes_once_accuses_no_table(
    hostile: Hostile, moto_store: RunningStore, fault: str, ends: str
) -> None:
    bucket = f"once-{FAULTS.index(fault)}{ends.replace('.', '-')}"
    status, seen = outcome(hostile, moto_store, bucket, fault, ends, 1)
    assert status == ONCE[fault] if fault in ONCE else status in (0, 6)
    assert seen > 0 or (fault, ends) == ("a HEAD that lies", ".avro")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_stays_is_inconclusive(hostile: Hostile, moto_store: RunningStore, fault: str) -> None:
    status, seen = outcome(hostile, moto_store, f"always-{FAULTS.index(fault)}", fault)
    assert (status, seen > 0) == (6, True)


def test_without_a_fault_the_table_is_healthy(hostile: Hostile, moto_store: RunningStore) -> None:
    assert outcome(hostile, moto_store, "no-fault", "503", times=0)[0] == 0


# A check sends no request that could write: pytest and the command, on a store that refuses and notes writes.

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
