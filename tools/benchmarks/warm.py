"""`pytest -k good_layout` with warm caches: seconds, and whether it started any Java.

The goal is under 10 s on 2 cores, without a JVM.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools.benchmarks.timing import median, run


def measure(scale: float) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as out:
        command = ["-m", "pytest", "-q", "-k", "good_layout", "--scale", str(scale), f"--out={out}"]
        first, _ = run(command)
        yield f"first run (caches filled where they were not)  {first:5.1f} s"
        yield f"warm run, median of 3                          {median(lambda: run(command)[0]):5.1f} s"
        report = json.loads((Path(out) / "latest" / "audit.json").read_text())
        work = [s["detail"] for s in report["steps"] if s["name"] in ("dataset", "XTable")]
        yield f"steps that could start Java                    {'; '.join(work)}"
