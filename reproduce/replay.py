"""A finding of XTable where no release resolves: its claims on the recording of its table, by the suite."""

from __future__ import annotations

import subprocess
import sys

from reproduce.finding import table_of
from stack.project import ROOT
from stack.versions import Release
from xtable_audit.register.entry import Entry

PRESENT, NOT_TRIED = 1, 6


def replay(entry: Entry, wanted: Release) -> int:
    """1 if the fault is in the recording, else 6: nothing was synced, so it cannot be known to be gone."""
    print(f"REPLAY: XTable {wanted.version} resolves neither from the local Maven repository nor online.")
    subject = f"{table_of(entry).name}-xtable"
    claims = sorted({claim for where in entry.where if subject in where.subjects for claim in where.claims})
    chosen = f"{subject} and ({' or '.join(claims)})"
    options = ["--recorded", f"--xtable={wanted.version}", "--readers=none", "-n0", "-rx", "-k", chosen]
    command = [sys.executable, "-m", "pytest", "-q", *options]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    print(done.stdout)
    there = f"known as {entry.id}" in done.stdout
    print(f"REPLAY: {entry.id} is {'in the recording' if there else 'not in the recording'}; nothing was synced.")
    return PRESENT if there else NOT_TRIED
