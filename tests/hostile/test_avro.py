"""An Avro file costs no more than the limit, whatever it declares, and what is wrong with it is one short sentence."""

from __future__ import annotations

import bz2
import json
import lzma
import subprocess
import sys
import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from pyiceberg.avro.encoder import BinaryEncoder

from lab.stack.project import ROOT
from tests.of_each import of_each
from xtable_audit.formats.iceberg.avro import MAGIC, parse_avro
from xtable_audit.model.limits import MIB, Limits
from xtable_audit.model.malformed import Malformed, TooLarge

SYNC = b"0123456789abcdef"
LIMITS = Limits(metadata=MIB)
WORDS = {"type": "record", "name": "r", "fields": [{"name": "words", "type": "string"}]}
LONGEST = 500
"""Characters of a message."""


def long(number: int) -> bytes:
    stream = BytesIO()
    BinaryEncoder(stream).write_int(number)
    return stream.getvalue()


def container(schema: Any, block: bytes, records: int = 1, codec: str = "null", declared: int | None = None) -> bytes:
    """A file of one block. `declared`: the size of the block by its header."""
    stream = BytesIO()
    encoder = BinaryEncoder(stream)
    encoder.write(MAGIC)
    encoder.write_int(2)
    encoder.write_utf8("avro.schema")
    encoder.write_bytes(schema if isinstance(schema, bytes) else json.dumps(schema).encode())
    encoder.write_utf8("avro.codec")
    encoder.write_utf8(codec)
    encoder.write_int(0)
    encoder.write(SYNC)
    encoder.write_int(records)
    encoder.write_int(len(block) if declared is None else declared)
    encoder.write(block)
    encoder.write(SYNC)
    return stream.getvalue()


def of(kind: Any) -> dict[str, Any]:
    return {"type": "record", "name": "r", "fields": [{"name": "words", "type": kind}]}


def nested(depth: int) -> bytes:
    """A schema of arrays in arrays."""
    inside = b'{"type":"array","items":' * depth + b'"int"' + b"}" * depth
    return b'{"type":"record","name":"r","fields":[{"name":"words","type":' + inside + b"}]}"


def doubling(times: int) -> dict[str, Any]:
    """A schema of few bytes and 2 ** times fields."""
    kind: Any = "int"
    for place in range(times):
        fields = [{"name": "a", "type": kind}, {"name": "b", "type": f"r{place - 1}" if place else "int"}]
        kind = {"type": "record", "name": f"r{place}", "fields": fields}
    return of(kind)


def deflated(content: bytes) -> bytes:
    stream = zlib.compressobj(9, wbits=-15)
    return stream.compress(content) + stream.flush()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "null": lambda content: content,
    "deflate": deflated,
    "snappy": lambda content: (
        pa.Codec("snappy").compress(content, asbytes=True) + zlib.crc32(content).to_bytes(4, "big")
    ),
    "zstandard": lambda content: pa.Codec("zstd").compress(content, asbytes=True),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
SOME = long(5) + b"a" * 5


@pytest.mark.parametrize("codec", PACKED)
def test_every_codec_is_read(codec: str) -> None:
    table = parse_avro("a", container(WORDS, PACKED[codec](SOME * 3), 3, codec), LIMITS)
    assert table["words"].to_pylist() == ["aaaaa"] * 3


@pytest.mark.parametrize("codec", sorted({*PACKED} - {"null"}))
def test_a_block_that_inflates_beyond_the_limit_is_refused(codec: str) -> None:
    content = container(WORDS, PACKED[codec](long(2 * MIB) + bytes(2 * MIB)), codec=codec)
    assert len(content) < MIB // 4
    with pytest.raises(TooLarge, match="inflates to more bytes than it may have, more than the limit of 1,048,576"):
        parse_avro("a", content, LIMITS)


def test_blocks_that_inflate_beyond_the_limit_together_are_refused() -> None:
    stream = BytesIO()
    records = [{"words": "a" * 1000}] * 1100
    fastavro.writer(stream, WORDS, records, "deflate", sync_interval=1000)
    with pytest.raises(TooLarge, match="inflates"):
        parse_avro("a", stream.getvalue(), LIMITS)


def test_a_higher_limit_reads_it() -> None:
    content = container(WORDS, deflated(long(4 * MIB) + b"a" * 4 * MIB), codec="deflate")
    assert parse_avro("a", content, Limits(metadata=8 * MIB)).num_rows == 1


BROKEN: dict[str, tuple[bytes, str]] = {
    "a block of ten gigabytes": (container(WORDS, SOME, declared=10 << 30), "declares 10,737,418,240 bytes where"),
    "a block of less than nothing": (container(WORDS, SOME, declared=-5), "declares -5 bytes where"),
    "a trillion records in a block": (container(WORDS, SOME, 1 << 40), "promises 1,099,511,627,776 records in 6"),
    "records less than none": (container(WORDS, SOME, -1), "promises -1 records"),
    "an unknown codec": (container(WORDS, SOME, codec="lzo"), "its codec lzo is none of"),
    "a deflated block cut short": (
        container(WORDS, deflated(SOME * 99)[:-3], 99, "deflate"),
        "cut off inside its deflated bytes",
    ),
    "a snappy block of another checksum": (
        container(WORDS, pa.Codec("snappy").compress(long(1) + b"a", asbytes=True) + bytes(4), codec="snappy"),
        "another checksum",
    ),
    "a snappy block of a false size": (container(WORDS, b"\xff" * 20, codec="snappy"), "has no snappy size"),
    "a schema nested 100 levels deep": (container(nested(100), SOME), "is nested deeper than 64 levels"),
    "a schema nested 100,000 levels deep": (container(nested(100_000), SOME), "recursion"),
    "a schema that contains itself": (
        container(of(["null", "r"]), b"\0"),
        "its schema contains itself, in r",
    ),
    "a schema that defines itself inside itself": (container(of(WORDS), SOME), "defines r inside itself"),
    "a schema of few words and a billion fields": (container(doubling(30), SOME), "more than 20,000 fields"),
    "a schema that names nothing": (container(of("nowhere"), SOME), "names a type nowhere that it does not define"),
    "a schema of two gigabytes for each null": (
        container(of(["null", {"type": "fixed", "name": "f", "size": 1 << 31}]), b"\0"),
        "a fixed size that no table has",
    ),
    "a schema that gives an id to some of its fields": (
        container(
            {
                "type": "record",
                "name": "r",
                "fields": [{"name": "a", "type": "int", "field-id": 1}, {"name": "b", "type": "int"}],
            },
            b"\0\0",
        ),
        "has no field-id for b",
    ),
    "a list in a field with an id, without one for its elements": (
        container(
            {
                "type": "record",
                "name": "r",
                "fields": [{"name": "a", "type": ["null", {"type": "array", "items": "long"}], "field-id": 1}],
            },
            b"\0",
        ),
        "has no element-id for a",
    ),
    "a header that is no text": (MAGIC + b"\x02\x02\xff\0\0" + SYNC, "its header is no UTF-8"),
    "an array of nothings": (
        container(of({"type": "array", "items": "null"}), long(1 << 40) + b"\0"),
        "an array of items that take no bytes",
    ),
    "a header of a million entries": (MAGIC + long(1_000_000) + b"\0\0" * 1_000_000, "more than 1,000 entries"),
    "a header without a schema": (MAGIC + b"\0" + SYNC, "avro.schema"),
    "a schema that is a number": (container(7, SOME), "has a type that is none"),
    "a schema that is no JSON": (container(b"{", SOME), "is a broken or truncated Avro file"),
    "bytes after the last record of a block": (container(WORDS, SOME + bytes(100_000)), "it holds more"),
    "fewer records than promised": (container(WORDS, SOME, 2), "is not a readable Avro file of 2 records"),
    "nothing but a magic number": (MAGIC, "it ends inside a number"),
}


@of_each(("content", "words"), BROKEN.values(), ids=BROKEN)
def test_what_is_broken_is_one_short_sentence(content: bytes, words: str) -> None:
    with pytest.raises(Malformed) as refused:
        parse_avro("a", content, LIMITS)
    assert words in str(refused.value)
    assert len(str(refused.value)) < LONGEST
    assert "\n" not in str(refused.value)


def test_records_that_need_more_memory_than_their_bytes_suggest_are_refused() -> None:
    """A null takes one byte, and a fixed value of a mebibyte in Arrow."""
    content = container(of(["null", {"type": "fixed", "name": "f", "size": MIB}]), bytes(1000), 1000)
    with pytest.raises(TooLarge):
        parse_avro("a", content, LIMITS)


MEASURED = """
from tests.hostile.test_avro import WORDS, container, deflated, long
from xtable_audit.formats.iceberg.avro import parse_avro
from xtable_audit.model.malformed import Malformed
for size in (50, 300):
    content = container(WORDS, deflated(bytes(size << 20)), codec="deflate")
    assert len(content) < 400_000
    try:
        parse_avro("a", content)
    except Malformed as error:
        print(str(error))
with open("/proc/self/status") as status:  # getrusage would begin with the peak of the process that starts this one
    [peak] = [line for line in status if line.startswith("VmHWM")]
print(int(peak.split()[1]) // 1024)
"""


def test_a_block_of_300_kilobytes_that_inflates_to_300_mebibytes_takes_bounded_memory() -> None:
    command = [sys.executable, "-c", MEASURED]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, ran.stderr[-1000:]
    *sentences, mebibytes = ran.stdout.splitlines()
    assert ["it holds more" in sentences[0], "inflates to more bytes" in sentences[1]] == [True, True], sentences
    assert max(map(len, sentences)) < LONGEST
    assert int(mebibytes) < 1200
