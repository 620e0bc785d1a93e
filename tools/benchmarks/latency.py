"""The scanner over small files in a store that answers after 50 ms, by the files that it reads at once.

The ideal is as many files a second as the store answers for, if none waits for anything else.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
from pyarrow import fs

from lab.stack.project import ROOT
from tools.benchmarks.scan import EACH, ROWS, written
from xtable_audit.access.access import Access
from xtable_audit.access.s3 import S3
from xtable_audit.locate.locate import Reach
from xtable_audit.locate.stores import Stores
from xtable_audit.model.objects import Objects
from xtable_audit.model.wanted import DataFiles, Wanted, WantedColumn
from xtable_audit.scan.scanner import LocalScanner

SECONDS = 0.05
"""From a request to its answer."""
FILES = 40_000
"""At scale 1."""
ARROWS = 25
"""Connections of Arrow's client of S3, by default."""
MANY = 256
DIRECT, RELAYED = "", ", by the relay"
"""To AWS itself there is no relay."""
RUNS = (
    (ARROWS, 1, DIRECT),
    (ARROWS, 16, DIRECT),
    (ARROWS, 64, DIRECT),
    (MANY, 32, DIRECT),
    (MANY, 64, DIRECT),
    (MANY, 256, DIRECT),
    (MANY, 64, RELAYED),
)
"""Connections, files that are read at once, and the way to the store."""
TABLE = "s3://lake/table"


def measure(scale: float) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "lake" / "table" / "data"
        data.mkdir(parents=True)
        paths = [written(data / f"{number}.parquet", number) for number in range(int(FILES * scale))]
        schema = pq.read_schema(paths[0])
        wanted = Wanted(tuple(WantedColumn(place, field.name, field.type) for place, field in enumerate(schema)))
        yield f"{len(paths)} files of {ROWS} rows and {4 * EACH} columns, each request answered after {SECONDS} s"
        took = _took(LocalScanner(Objects(fs.LocalFileSystem())), DataFiles.at(map(str, paths)), wanted)
        yield f"from the local disk: {took}"
        with _store(Path(name)) as url:
            for connections, at_once, way in RUNS:
                s3 = S3(url, f"of {connections}", "secret")  # clients are kept by their credential
                stores = Stores(Access(s3, guarded=way == RELAYED), at_once=connections)
                objects = Reach(f"{TABLE}/metadata/v1.json", stores).objects()
                files = DataFiles.at(f"{TABLE}/data/{path.name}" for path in paths[: 16 * at_once])
                before = _requests(url)
                took = _took(LocalScanner(objects, at_once), files, wanted)
                asked = _requests(url) - before
                ideal = at_once / SECONDS / (asked / len(files))
                each = f"{asked / len(files):.1f} requests each, ideal {ideal:.0f}"
                yield f"{connections} connections, {at_once} at once{way}: {took}; {each}"


def _took(scanner: LocalScanner, files: DataFiles, wanted: Wanted) -> str:
    began, busy = time.perf_counter(), time.process_time()
    scanner.measure(files, wanted)
    seconds, busy = time.perf_counter() - began, time.process_time() - busy
    return f"{len(files) / seconds:.0f} files/s, {1000 * busy / len(files):.1f} ms of a core each"


@contextmanager
def _store(folder: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "tools.benchmarks.slow_store", str(folder), str(SECONDS)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            yield f"http://127.0.0.1:{child.stdout.readline().strip()}"
        finally:
            child.kill()


def _requests(url: str) -> int:
    with urllib.request.urlopen(url) as answer:
        return sum(json.load(answer).values())
