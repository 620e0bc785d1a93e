"""Small files, and small manifests, in a store that answers after 50 ms, by how many are read at once.

The ideal is as many files a second as the store answers for, if none waits for anything else.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pyarrow.parquet as pq
from pyarrow import fs

from lab.stack.project import ROOT
from tools.benchmarks.scan import EACH, ROWS, written
from tools.benchmarks.synthetic_metadata import listed
from xtable_audit.access.access import Access
from xtable_audit.access.s3 import S3
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.locate.locate import Reach
from xtable_audit.locate.stores import AT_ONCE, Stores
from xtable_audit.model.interpreter import read_by_threads
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFiles, Wanted, WantedColumn
from xtable_audit.scan import LocalScanner

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
TABLE, STREAMED = "s3://lake/table", "s3://lake/streamed"
MANIFESTS, EACH_MANIFEST = 20_000, 10
"""At scale 1; and entries of each."""


def measure(scale: float) -> Iterator[str]:
    read_by_threads()
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "lake" / "table" / "data"
        data.mkdir(parents=True)
        paths = [written(data / f"{number}.parquet", number) for number in range(int(FILES * scale))]
        schema = pq.read_schema(paths[0])
        wanted = Wanted(tuple(WantedColumn(place, field.name, field.type) for place, field in enumerate(schema)))
        yield f"{len(paths)} files of {ROWS} rows and {4 * EACH} columns, each request answered after {SECONDS} s"
        took = _took(LocalScanner(Objects(fs.LocalFileSystem())), DataFiles.at(map(str, paths)), wanted)
        yield f"from the local disk: {took}"
        manifests = int(MANIFESTS * scale)
        streamed = Path(name) / "lake" / "streamed"
        address = listed(streamed, manifests * EACH_MANIFEST, EACH_MANIFEST, STREAMED)
        with _store(Path(name)) as url:
            for at_once in (1, AT_ONCE):
                stores = Stores(Access(S3(url, f"manifests by {at_once}", "secret")), at_once=at_once)
                objects = Reach(address, stores, own=("metadata",)).objects()
                began = time.perf_counter()
                read_stored_metrics(objects, address)
                yield f"{manifests} manifests, {at_once} at once: {time.perf_counter() - began:.1f} s"
            for connections, at_once, way in RUNS:
                s3 = S3(url, f"of {connections}", "secret")  # clients are kept by their credential
                stores = Stores(Access(s3, guarded=way == RELAYED), at_once=connections)
                objects = Reach(f"{TABLE}/metadata/v1.metadata.json", stores, own=("metadata",)).objects()
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
    command = [sys.executable, "-m", "tools.benchmarks.latency", str(folder), str(SECONDS)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            yield f"http://127.0.0.1:{child.stdout.readline().strip()}"
        finally:
            child.kill()


def _requests(url: str) -> int:
    with urllib.request.urlopen(url) as answer:
        return sum(json.load(answer).values())


_RANGE = re.compile(rb"\r\nrange: bytes=(\d+)-(\d+)", re.I)
COUNTS = "/"
"""Path that answers with the number of requests so far, by method."""


async def store_of(folder: Path, seconds: float) -> None:
    """Objects of a folder by S3's protocol, each answer late, for a process of its own.

    It prints its port, serves GET of ranges and HEAD to any process of this machine, and counts at `/`. It is one
    thread, which waits for thousands of requests at once.
    """
    seen: Counter[str] = Counter()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                method, path = head.split(b" ", 2)[:2]
                if path.decode() == COUNTS:
                    writer.write(_answer("200 OK", json.dumps(seen).encode()))
                else:
                    seen[method.decode()] += 1
                    await asyncio.sleep(seconds)
                    writer.write(_object(folder / unquote(urlsplit(path.decode()).path).lstrip("/"), method, head))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _object(file: Path, method: bytes, head: bytes) -> bytes:
    if not file.is_file():
        return _answer("404 Not Found", b"")
    headers = f'Last-Modified: {formatdate(file.stat().st_mtime, usegmt=True)}\r\nETag: "x"\r\n'
    if method == b"HEAD":
        return _answer("200 OK", b"", headers, file.stat().st_size)
    content = file.read_bytes()
    if (asked := _RANGE.search(head)) is None:
        return _answer("200 OK", content, headers)
    first, last = int(asked[1]), min(int(asked[2]), len(content) - 1)
    return _answer(
        "206 Partial Content",
        content[first : last + 1],
        f"{headers}Content-Range: bytes {first}-{last}/{len(content)}\r\n",
    )


def _answer(status: str, content: bytes, headers: str = "", length: int | None = None) -> bytes:
    """`length` is that of an object whose content is not sent."""
    size = len(content) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n{headers}\r\n".encode() + content


if __name__ == "__main__":
    asyncio.run(store_of(Path(sys.argv[1]), float(sys.argv[2])))
