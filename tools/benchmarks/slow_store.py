"""`python -m tools.benchmarks.slow_store FOLDER SECONDS`: objects of a folder by S3's protocol, each answer late.

It prints its port, serves GET of ranges and HEAD to any process of this machine, and counts at `/`. It is one thread,
which waits for thousands of requests at once.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections import Counter
from email.utils import formatdate
from pathlib import Path
from urllib.parse import unquote, urlsplit

RANGE = re.compile(rb"\r\nrange: bytes=(\d+)-(\d+)", re.I)
COUNTS = "/"
"""Path that answers with the number of requests so far, by method."""


async def main(folder: Path, seconds: float) -> None:
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
    if (asked := RANGE.search(head)) is None:
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
    asyncio.run(main(Path(sys.argv[1]), float(sys.argv[2])))
