"""Rewrites an Avro file with snappy, each block followed by a checksum."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pyarrow as pa
from pyiceberg.avro.encoder import BinaryEncoder

from xtable_audit.formats.iceberg.avro import CODEC, MAGIC, blocks, read_header
from xtable_audit.formats.iceberg.inflate import inflated
from xtable_audit.model.limits import MIB

Checksum = Callable[[bytes], int]


def rewrite(file: Path, checksum: Checksum = zlib.crc32) -> None:
    content = file.read_bytes()
    header = read_header(content)
    codec = header.metadata.get(CODEC, b"null").decode()
    stream = BytesIO()
    encoder = BinaryEncoder(stream)
    encoder.write(MAGIC)
    encoder.write_int(len(header.metadata))
    for key, value in (header.metadata | {CODEC: b"snappy"}).items():
        encoder.write_bytes(key)
        encoder.write_bytes(value)
    encoder.write_int(0)
    encoder.write(header.sync)
    for block in blocks(content, header):
        records = inflated(codec, block.content, MIB)
        encoder.write_int(block.records)
        packed = pa.Codec("snappy").compress(records, asbytes=True)
        encoder.write_bytes(packed + checksum(records).to_bytes(4, "big"))
        encoder.write(header.sync)
    file.write_bytes(stream.getvalue())
