"""The run under pytest-xdist, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.run.conftest import ROOT, Audit
from tests.waiting import wait_until

SOME = ("-k", "(good_layout or bad_layout or plain_types) and bounds")


def test_workers_share_one_provisioner(audit: Audit) -> None:
    """With two workers every table is built once, whoever judges it, and every claim comes out as it does without."""
    alone, together = audit(*SOME), audit(*SOME, "-n", "2")
    built = Counter((step["name"], step["detail"]) for step in together.document["steps"] if step["name"] != "judge")
    assert together.outcomes() == alone.outcomes(), together.text
    assert set(built.values()) == {1}, built


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_nothing_outlives_a_run_that_is_killed(tmp_path: Path) -> None:
    """After kill -9 of the run its store is gone within seconds."""
    mark = f"killed-{os.getpid()}-{time.monotonic_ns()}"
    command = [sys.executable, "-m", "pytest", "-q", "--recorded", f"--out={tmp_path}", "-p", "no:cacheprovider"]
    command += ["suites/selection/test_readers.py", "-k", "good_layout", "--readers=duckdb", "--ask-again"]
    run = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {"AUDIT_MARK": mark}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wait_until(lambda: len(_marked(mark)) > 1, "the run has started its store", 30)
    run.send_signal(signal.SIGKILL)
    run.wait()
    wait_until(lambda: not _marked(mark), "no process of the run is left", 30)


def _marked(mark: str) -> list[int]:
    """Processes whose environment carries the mark."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue  # gone meanwhile, or not ours to look at
    return found
