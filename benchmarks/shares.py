"""Where the time of a live audit of the battery goes: Spark, XTable, the control translator, and what is ours.

Histories with empty caches of tables and translations, in one process, by the planners and without readers. The goal
for ours (reading metadata and values, the claims, pytest) is under a quarter.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.cold import cold_cache
from benchmarks.timing import run
from stack.jars import is_resolvable
from stack.versions import releases

SELECTED = "history_ or drawn_"
THEIRS = {
    "dataset": "Spark writes the tables, and they are put into the store",
    "XTable": "XTable translates them, store included",
    "control": "PyIceberg translates them where blame must be told",
    "store": "the store starts",
}


def measure(scale: float) -> Iterator[str]:
    release = next((r for r in releases() if is_resolvable(r)), None)
    if release is None:
        yield "inconclusive: no XTable release resolves here, so there is nothing to measure"
        return
    with tempfile.TemporaryDirectory() as folder:
        cold = cold_cache(Path(folder))
        asked = ["-m", "pytest", "-q", "-p", "no:xdist", "-k", SELECTED, "--readers", "none", f"--out={folder}"]
        whole, _ = run([*asked, "--xtable", release.version], {"XTABLE_AUDIT_CACHE": str(cold)})
        document = json.loads((Path(folder) / "latest" / "audit.json").read_text())
    yield f"{len(document['claims']):,} claims on XTable {release.version}  {whole:6.1f} s"
    yield from shares(document, whole)


def shares(document: dict[str, Any], whole: float) -> Iterator[str]:
    """A line a part, by the steps of the run's own report; what no step accounts for is ours."""
    spent = Counter[str]()
    for step in document["steps"]:
        spent[step["name"]] += step["seconds"]
    ours = whole - sum(spent[name] for name in THEIRS)
    judging = "  of it the judge, reading metadata and values"
    parts = [*((words, spent[name]) for name, words in THEIRS.items()), ("ours", ours), (judging, spent["judge"])]
    for words, seconds in parts:
        yield f"{words:<57} {seconds:6.1f} s  {seconds / whole:5.0%}"
