"""What a check of a table on S3 asks of the store: the estimate is right, and a second run fetches no data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from lab.store.running import RunningStore
from tests.cli.conftest import Command, Ran, command
from tests.store.conftest import moto_store
from xtable.replay import Recording, newest_recording
from xtable_audit.check.cost import REQUESTS

__all__ = ["command", "moto_store"]
Seen = Counter[str]
"""Requests by what they are for: `HEAD of data`, `GET of data`, `GET of metadata`, …"""
FILES = 4


@pytest.fixture
def check(
    moto_store: RunningStore, command: Command, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Ran, Seen]]:
    """Checks a table that XTable wrote, and counts the requests."""
    store, log = moto_store.store, moto_store.log
    assert log is not None
    folder = store.uri(Recording.open(newest_recording()).upload("good_layout", store))
    for name, value in store.environment().items():
        monkeypatch.setenv(name, value)

    def check(*options: object) -> tuple[Ran, Seen]:
        with log.windows() as cut:
            requests = cut()
            ran = command("check", folder, *options)
        return ran, Counter(f"{one.method} of {_what(one.key)}" for one in requests)

    return check


def _what(key: str) -> str:
    return "data" if key.endswith(".parquet") else "metadata"


def test_nothing_is_asked_of_the_store_but_to_be_read(check: Callable[..., tuple[Ran, Seen]]) -> None:
    ran, seen = check()
    assert (ran.status, {name.partition(" ")[0] for name in seen}) == (0, {"GET", "HEAD"}), ran.out


def test_metadata_alone_asks_nothing_of_data_files(check: Callable[..., tuple[Ran, Seen]]) -> None:
    _, seen = check("--metadata-only")
    assert [name for name in seen if name.endswith("of data")] == []


def test_a_second_run_looks_data_files_up_and_fetches_none(check: Callable[..., tuple[Ran, Seen]]) -> None:
    check()
    ran, seen = check()
    assert (ran.status, seen["HEAD of data"], seen["GET of data"]) == (0, FILES, 0), seen


def test_the_requests_of_each_file_are_as_estimated(check: Callable[..., tuple[Ran, Seen]]) -> None:
    _, seen = check("--no-cache")
    assert seen["HEAD of data"] + seen["GET of data"] == pytest.approx(FILES * REQUESTS, rel=0.5), seen
