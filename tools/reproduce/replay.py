"""A finding of XTable where no release resolves: its claims on the recording of its table, by the suite."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from lab.provision.plan import ON_REQUEST
from lab.stack.project import ROOT
from lab.stack.versions import Release
from tools.reproduce.finding import headline_at, table_of, writer_of
from xtable_audit.model.finding import Verdict
from xtable_audit.model.subject_id import BY, DELTA, HUDI
from xtable_audit.register.entry import Entry
from xtable_audit.report.document import Document

PRESENT, NOT_TRIED = 1, 6


def options_of(entry: Entry, wanted: Release, claim: str) -> list[str]:
    """pytest's, for the claim on the recording of the finding's table."""
    writer = writer_of(entry)
    options = ["--recorded", f"--xtable={wanted.version}", "--readers=none", "-n0", "-rx"]
    if writer.reads_by_kernel:
        options += ["--delta-source-by=kernel"]
    if writer.target == DELTA:
        options += ["--target=delta", f"--delta-target-by={writer.id.partition(BY)[2]}"]
    if writer.target == HUDI:
        options += ["--target=hudi"]
    name = table_of(entry).name
    options += [f"--source-format={asked}" for asked, tables in ON_REQUEST.items() if name in tables]
    return [*options, "-k", f"{table_of(entry).name}-{writer.id} and {claim}"]


def replay(entry: Entry, wanted: Release) -> int:
    """1 if the recording shows the finding's headline, else 6: nothing was synced, so it cannot be known to be gone."""
    print(f"REPLAY: XTable {wanted.version} resolves neither from the local Maven repository nor online.")
    headline = headline_at(entry, wanted)
    command = [sys.executable, "-m", "pytest", "-q", *options_of(entry, wanted, headline.claim)]
    with tempfile.TemporaryDirectory() as out:
        command += [f"--out={out}"]
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        report = Path(out) / "latest" / "audit.json"
        there = report.is_file() and shows(Document.load(report), entry.id, headline.verdict)
    print(done.stdout)
    words = f"{headline.claim} at {headline.verdict} is {'in the recording' if there else 'not in the recording'}"
    print(f"REPLAY: {entry.id}: {words}; nothing was synced.")
    return PRESENT if there else NOT_TRIED


def shows(document: Document, entry: str, verdict: Verdict) -> bool:
    """Whether a claim that was judged fails as that entry registers it, with this verdict."""
    found = (one.finding for one in document.claims if one.finding is not None and not one.follows)
    return any((one.registered, one.verdict) == (entry, verdict) for one in found)
