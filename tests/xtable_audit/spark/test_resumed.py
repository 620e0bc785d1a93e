"""A check on Spark whose driver is killed, and the one that goes on from what it kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lab.stack.project import ROOT
from tests.tables.lake import Lake, data_files, exchange, orders, with_column
from tests.xtable_audit.cli.conftest import Command, Ran, command, lake
from tests.xtable_audit.spark.little_work import environment
from xtable_audit.model.result import ClaimResult
from xtable_audit.spark.scanner import ROUNDS

__all__ = ["command", "lake"]
CORES = 2
FIRST = ROUNDS * CORES
"""Files of the first job, in packs of one."""


@pytest.mark.slow
def test_a_driver_started_again_ends_as_if_nothing_had_happened_and_reads_the_rest_alone(
    lake: Lake, command: Command, tmp_path: Path
) -> None:
    table = lake.table("orders", *(orders(number) for number in range(FIRST + 4)))
    files = data_files(table)
    for file in files:
        exchange(file, with_column("price", lambda prices: pc.add(prices, 10_000.0)))
    root = str(lake.root("orders"))
    undisturbed = command("check", root, "--no-cache", "--json")

    killed = python("tests.xtable_audit.spark.dying_driver", f"local[{CORES}]", root)
    assert killed.returncode == -signal.SIGKILL, killed.stderr[-3000:]
    kept = [Path(path.removeprefix("file://")) for path in kept_in(tmp_path / "cache")]
    assert len(kept) == FIRST
    for file in kept:
        make_unreadable(file)

    asked = ("check", root, "--json", "--scanner", "spark", "--master", f"local[{CORES}]")
    resumed = python("xtable_audit", *asked, "--out", str(tmp_path / "out"))
    again = Ran(resumed.returncode, resumed.stdout, resumed.stderr)
    assert (again.status, told(again)) == (1, told(undisturbed)), again.err
    assert len(kept_in(tmp_path / "cache")) == len(files)


def told(ran: Ran) -> list[ClaimResult]:
    """The claims with their findings, without the time they took."""
    return [replace(one, seconds=0) for one in ran.document.claims]


def python(*words: str) -> subprocess.CompletedProcess[str]:
    """With the cache that the test has."""
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


def kept_in(cache: Path) -> list[str]:
    """Paths of the files whose metrics are kept."""
    shards = [pa.ipc.open_file(pa.memory_map(str(shard))).read_all() for shard in cache.glob("measured/*/*/*.arrow")]
    return [path for shard in shards for path in shard["path"].to_pylist()]


def make_unreadable(file: Path) -> None:
    """By size and time it is as it was."""
    before = file.stat()
    file.write_bytes(b"\0" * before.st_size)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
