"""Where a live audit of the battery spends its processor time: Spark, XTable, the store, and the suite itself.

Histories with empty caches of tables and translations, by the planners and without readers. The parts run side by
side, so this measures processor time, not the clock. The goal for the suite's own share (reading
metadata and values, the claims, the control translator, pytest) is under a quarter.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from lab.stack.jars import is_resolvable
from lab.stack.versions import releases
from tools.benchmarks.cold import cold_cache
from tools.benchmarks.processes import OURS, PARTS, watched
from tools.benchmarks.timing import run

SELECTED = "history_ or drawn_"


def measure(scale: float) -> Iterator[str]:
    release = next((r for r in releases() if is_resolvable(r)), None)
    if release is None:
        yield "inconclusive: no XTable release resolves here, so there is nothing to measure"
        return
    with tempfile.TemporaryDirectory() as folder:
        cold = cold_cache(Path(folder))
        command = [
            "-m",
            "pytest",
            "-q",
            "-n",
            "auto",
            "--maxprocesses=4",
            "-k",
            SELECTED,
            "--readers=none",
            "--sources=written",
        ]
        with watched() as spent:
            whole, _ = run(
                [*command, f"--out={folder}", "--xtable", release.version], {"XTABLE_AUDIT_CACHE": str(cold)}
            )
        document = json.loads((Path(folder) / "latest" / "audit.json").read_text())
    control = sum(step["seconds"] for step in document["steps"] if step["name"] == "control")
    yield f"{len(document['claims']):,} claims on XTable {release.version}  {whole:6.1f} s by the clock"
    yield from shares(spent, control)


def shares(spent: Mapping[str, float], control: float) -> Iterator[str]:
    """A line a part. `control` is how long the control translator took, by the clock, in a process of ours."""
    whole = sum(spent.values())
    parts = [(part, spent[part]) for part in (*PARTS, OURS)]
    for words, seconds in (*parts, ("  of it at most the control translator", control)):
        yield f"{words:<40} {seconds:6.1f} s  {seconds / whole:5.0%}"
