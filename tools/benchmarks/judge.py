"""The judge alone: actual values of all columns against pyarrow just reading them, and peak memory of the process.

The goals, at scale 1: at most 1.5 times the reading, under 1.5 GiB.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
from pyarrow import fs
from pyiceberg.io.pyarrow import _pyarrow_to_schema_without_ids
from pyiceberg.schema import assign_fresh_schema_ids

from lab.stack.cache import Cache
from tools.benchmarks.timing import median, run
from xtable_audit.formats.iceberg.columns import leaves
from xtable_audit.model.objects import Objects
from xtable_audit.model.wanted import DataFiles, Wanted
from xtable_audit.scan.scanner import LocalScanner
from xtable_audit.values.row_groups import BATCH_ROWS

DATASET = "good_layout"
"""Five columns of Hudi's own besides the trips', long strings among them."""


def measure(scale: float) -> Iterator[str]:
    tree = _newest_tree(scale)
    if tree is None:
        run(["-m", "pytest", "-q", "-k", DATASET, "--readers", "none", "--scale", str(scale)])
        tree = _newest_tree(scale)
        assert tree is not None, "the audit left no table of this scale in the cache"

    def seconds_of(what: str) -> float:
        measured: dict[str, float] = json.loads(run(["-m", "tools.benchmarks.judge", what, str(tree)])[1])
        memory[what] = measured["mib"]
        return measured["seconds"]

    memory: dict[str, float] = {}
    reading, actual = median(lambda: seconds_of("read")), median(lambda: seconds_of("actual"))
    yield f"pyarrow reads every column         {reading:7.2f} s   {memory['read']:6.0f} MiB at the peak"
    yield f"the judge measures every column    {actual:7.2f} s   {memory['actual']:6.0f} MiB at the peak"
    yield f"ratio                              {actual / reading:7.2f}"


def _newest_tree(scale: float) -> Path | None:
    """The cached table of that size, as files."""
    root = Cache().root / "dataset"
    found = []
    for path in root.glob("*/facts.json"):
        facts = json.loads(path.read_text())["told"]
        if facts["dataset"] == DATASET and abs(facts["rows"] - 9_384_433 * scale) < 1000:
            found.append(path)
    newest = max(found, key=lambda path: path.stat().st_mtime, default=None)
    return newest.parent / "tree" if newest else None


def _read(files: list[Path]) -> None:
    """Every column of every file, batch by batch, as the judge would have to."""
    for path in files:
        for _ in pq.ParquetFile(path).iter_batches(BATCH_ROWS):
            pass


def _actual(files: list[Path]) -> None:
    schema = assign_fresh_schema_ids(_pyarrow_to_schema_without_ids(pq.read_schema(files[0])))
    wanted = Wanted(tuple(leaf.column for leaf in leaves(schema)))
    LocalScanner(Objects(fs.LocalFileSystem())).measure(DataFiles.at(f"file://{path}" for path in files), wanted)


if __name__ == "__main__":
    files = sorted(Path(sys.argv[2]).rglob("*.parquet"))
    started = time.monotonic()
    {"read": _read, "actual": _actual}[sys.argv[1]](files)
    seconds = time.monotonic() - started
    print(json.dumps({"seconds": seconds, "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
