"""A run of the suite that is ended early keeps what it judged."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from xtable_audit.report.document import Document


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("workers", ["0", "1"], ids=["one process", "a worker"])
def test_what_was_judged_is_published(number: signal.Signals, workers: str, tmp_path: Path) -> None:
    options = ["-n", workers, "-v", "--recorded", "--readers", "none", "-k", "history_ and xtable", f"--out={tmp_path}"]
    command = [sys.executable, "-m", "pytest", *options]
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
