"""The addresses that a Hudi or Delta table holds in its own metadata: every one must be the table's own.

A translator follows the timeline. If a table was moved after it was written, or written under one spelling and read
under another, its timeline names files that do not exist, and the translator looks guilty.
"""

from __future__ import annotations

import io
import json
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import fastavro
import pyarrow.parquet as pq

OF_SOURCES = (".hoodie", "_delta_log")
"""The folders in which Hudi and Delta keep their metadata."""

ADDRESS = re.compile(r"\b(?:file|s3[an]?|gs|wasbs?|abfss?|hdfs|viewfs):/{1,3}[^\s\"'`\\,;\x00-\x1f\x7f-\uffff]+")
WITHOUT_SCHEME = re.compile(r"//?[^/\s]+/[^\s]+")
"""A whole text that is a path from the root of some disk, or an address as Hudi's rollbacks have it: `//bucket/key`."""
GZIP = b"\x1f\x8b\x08"
"""How each block of an HFile begins, in the metadata table and in its logs."""
AVRO = b"Obj\x01"
TEXT = re.compile(rb"[\x20-\x7e]{4,}")

ELSEWHERE = "elsewhere"
"""The folder of a table in which another one lies, for a table whose metadata names files by an address not its own."""


class Strayed(Exception):
    """A table that names an address of another place, or has no metadata to check."""


def elsewhere(address: str) -> str:
    """The address of the other table, which does not begin with the table's own: its scheme is `s3a`."""
    return f"s3a:{address.partition(':')[2]}/{ELSEWHERE}"


def demand_own_addresses(tree: Path, address: str) -> int:
    """Returns how many files of metadata were read in the table at `tree`, which belongs at `address`.

    Raises Strayed for the first address of another place, and if there is nothing to read: a check that reads no
    timeline does not pass.
    """
    files = metadata_files(tree)
    if not files:
        raise Strayed(f"{tree} has neither of {' and '.join(OF_SOURCES)}: nothing shows where it was written")
    owned = (address, address.partition(":")[2], elsewhere(address))
    for path in files:
        for found in addresses_in(path):
            if not any(found == own or found.startswith(f"{own}/") for own in owned):
                raise Strayed(
                    f"{path.relative_to(tree).as_posix()} names {found}, which is not below {address}: "
                    "the table was not written where it is read"
                )
    return len(files)


def metadata_files(tree: Path) -> list[Path]:
    return sorted(path for name in OF_SOURCES for path in (tree / name).rglob("*") if path.is_file())


def addresses_in(path: Path) -> Iterator[str]:
    """Every absolute address in a file of metadata: JSON, properties, Avro, Parquet, HFiles and logs of these.

    Addresses without a scheme are only found where the format marks the bounds of a text: the keys of an HFile are
    Base64, which has slashes too.
    """
    content = path.read_bytes()
    for text in _texts_in(path, content):
        if WITHOUT_SCHEME.fullmatch(text):
            yield text
        else:
            yield from _with_scheme(text)
    for block in (content, *_unzipped(content)) if is_opaque(path, content) else ():
        for run in TEXT.findall(block):
            yield from _with_scheme(run.decode())


def is_opaque(path: Path, content: bytes) -> bool:
    """Whether it is an HFile or a log of HFiles: bytes that do not mark where a text begins."""
    return b"\0" in content and not content.startswith(AVRO) and path.suffix != ".parquet"


def _with_scheme(text: str) -> Iterator[str]:
    return (found.rstrip("/.)]}") for found in ADDRESS.findall(text))


def _texts_in(path: Path, content: bytes) -> Iterator[str]:
    if content.startswith(AVRO):
        for record in fastavro.reader(io.BytesIO(content)):
            yield from _texts_of(record)
    elif path.suffix == ".parquet":
        for row in pq.ParquetFile(path).read().to_pylist():
            yield from _texts_of(row)
    elif not is_opaque(path, content):
        yield from _texts_of(content)


def _texts_of(value: Any) -> Iterator[str]:
    """The texts of a record, those of JSON and of Avro within it too, and those behind the `=` of a property."""
    match value:
        case bytes() if value.startswith(AVRO):  # an instant inside Hudi's archive
            for record in fastavro.reader(io.BytesIO(value)):
                yield from _texts_of(record)
        case bytes():
            yield from _texts_of(value.decode(errors="replace"))
        case str():
            try:
                parsed = json.loads(value)
            except ValueError:
                parsed = None
            if isinstance(parsed, str | dict | list):
                yield from _texts_of(parsed)
            elif "\n" in value:
                for line in value.splitlines():
                    yield from _texts_of(line)
            else:
                yield value
                yield from filter(None, [value.partition("=")[2]])
        case dict():
            for one in (*value.keys(), *value.values()):
                yield from _texts_of(one)
        case list() | tuple():
            for one in value:
                yield from _texts_of(one)


def _unzipped(content: bytes) -> Iterator[bytes]:
    place = content.find(GZIP)
    while place >= 0:
        with suppress(zlib.error):  # three bytes that only look like the beginning of a block
            yield zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(content[place:])
        place = content.find(GZIP, place + 1)
