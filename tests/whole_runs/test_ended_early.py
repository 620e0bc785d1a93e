"""How a run ends early: nothing outlives it, and what it judged is published."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from tests.wait_until import wait_until
from xtable_audit.report.document import Document


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


# A run of the suite that is ended early keeps what it judged.


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("workers", ["0", "1"], ids=["one process", "a worker"])
def test_what_was_judged_is_published(number: signal.Signals, workers: str, tmp_path: Path) -> None:
    """It has half a minute of work left when it is ended."""
    options = ["-n", workers, "-v", "--recorded", "--readers", "none", "-k", "xtable", f"--out={tmp_path}"]
    command = [sys.executable, "-m", "pytest", "suites/bounds", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        seen = 0
        for line in run.stdout:
            seen += "PASSED" in line
            if seen == 5:
                break
        run.send_signal(number)
        rest = run.stdout.read()
        run.wait(timeout=60)
    document = Document.load(tmp_path / "latest" / "audit.json")
    assert (run.returncode, document.complete) == (2, False), rest
    assert len(document.claims) >= 5
