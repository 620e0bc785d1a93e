"""How many files a check reads at once from a remote store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from tests.cli.tables import Lake, orders
from tools.frozen.run import Unwatched
from xtable_audit.check import run
from xtable_audit.check.options import Options
from xtable_audit.locate.locate import locate
from xtable_audit.locate.stores import AT_ONCE, Stores
from xtable_audit.scan.local import LocalScanner


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    made = Lake.at(tmp_path)
    made.table("orders", orders())
    yield made
    made.catalog.close()


@pytest.mark.parametrize(
    ("remote", "large", "named", "threads"),
    [
        (True, 1 << 30, None, AT_ONCE),
        (True, 1, None, run.AT_ONCE_OF_LARGE),
        (True, 1, 100, 100),
        (False, 1 << 30, None, None),
        (False, 1 << 30, 100, 100),
    ],
)
def test_a_remote_store_is_asked_for_many_small_files_at_once(
    lake: Lake,
    monkeypatch: pytest.MonkeyPatch,
    *,
    remote: bool,
    large: int,
    named: int | None,
    threads: int | None,
) -> None:
    seen: list[int | None] = []

    class Seen(LocalScanner):
        def measure(self, *arguments: object) -> pa.Table:
            seen.append(self.threads)
            return super().measure(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "LocalScanner", Seen)
    monkeypatch.setattr(run, "LARGE", large)
    root = str(lake.root("orders"))
    run.check(replace(locate(root), is_remote=remote), Options(root, threads=named), Unwatched())
    assert seen == [threads]


@pytest.mark.parametrize(
    ("address", "asked", "before", "after"),
    [("s3://b/t", 70, 8, 70), ("s3://b/t", 70, 100, 100), ("/lake/t", 70, 8, 8)],
)
def test_arrow_opens_as_many_connections_to_a_remote_store(
    address: str, asked: int, before: int, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It opens as many as it has threads for input and output."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
    was = pa.io_thread_count()
    pa.set_io_thread_count(before)
    try:
        Stores(at_once=asked).objects(address)
        assert pa.io_thread_count() == after
    finally:
        pa.set_io_thread_count(was)
