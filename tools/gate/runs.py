"""Runs one audit in a child process, with its output in a log, and reads its audit.json back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lab.stack.project import ROOT
from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.gate import GateRun

PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def run_audit(
    name: str, release: str, options: Sequence[str], folder: Path, *, upgrade_from: str | None, command: Sequence[str]
) -> GateRun:
    """Runs the audit into `folder`/`name` (an absolute folder) and returns its outcome; it never raises for that.

    The audit ends with this process, even after `kill -9`.
    """
    out = folder_of(name, folder)
    out.mkdir(parents=True)
    log = out / "run.log"
    with log.open("w") as output:
        leash = subprocess.Popen(
            [sys.executable, "-m", "lab.stack.leash", "--", *command, f"--out={out}", *options],
            cwd=ROOT,
            stdin=subprocess.PIPE,  # held open as long as the audit may run
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            status = leash.wait()
        finally:
            leash.communicate()
    report = out / "latest" / "audit.json"
    if not report.is_file():
        return GateRun(name, release, None, _last_words(log, status), upgrade_from=upgrade_from)
    try:
        document = Document.load(report)
    except UnreadableDocument as error:
        return GateRun(name, release, None, str(error).rstrip("."), upgrade_from=upgrade_from)
    return GateRun(name, release, document, "", report.relative_to(folder).as_posix(), upgrade_from)


def folder_of(name: str, folder: Path) -> Path:
    """Where the run of that name has its reports."""
    return folder / name.replace(" ", "-")


def _last_words(log: Path, status: int) -> str:
    """pytest's last ERROR line, else the last line of its output."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    last = (errors or lines or ["it printed nothing"])[-1]
    return f"{last.rstrip('.')} (exit {status}, {log.parent.name}/{log.name})"
