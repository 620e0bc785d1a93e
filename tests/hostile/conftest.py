"""A small table on this disk whose metadata a stranger may write, file by file."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.avro.encoder import BinaryEncoder

from tests.lab.store.conftest import moto_store
from tests.tables.draft import Record, current_snapshot, read_records, write_records
from tests.tables.orders import orders
from xtable_audit.formats.iceberg.avro import CODEC, MAGIC, blocks, read_header
from xtable_audit.formats.iceberg.avro_guards import inflated
from xtable_audit.locate.locate import locate
from xtable_audit.model.limits import LIMITS, MIB, Limits
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case, read_case

Checksum = Callable[[bytes], int]


@dataclass(frozen=True)
class Hostile:
    """One data file, in one manifest."""

    metadata: Path
    data: Path

    @property
    def root(self) -> Path:
        return self.metadata.parent.parent

    @property
    def manifest_list(self) -> Path:
        return _local(current_snapshot(json.loads(self.metadata.read_text()))["manifest-list"])

    @property
    def manifest(self) -> Path:
        return _local(read_records(self.manifest_list)[0]["manifest_path"])

    def change_metadata(self, change: Callable[[Record], object]) -> None:
        content = json.loads(self.metadata.read_text())
        change(content)
        self.metadata.write_text(json.dumps(content))

    def change_manifests(self, change: Callable[[list[Record]], object]) -> None:
        records = read_records(self.manifest_list)
        change(records)
        write_records(self.manifest_list, records)

    def change_entries(self, change: Callable[[list[Record]], object]) -> None:
        records = read_records(self.manifest)
        change(records)
        write_records(self.manifest, records)

    def names_file(self, address: str) -> Path:
        """Its one data file is at this address. Returns the file that says so."""
        manifest = self.manifest
        self.change_entries(lambda entries: entries[0]["data_file"].update(file_path=address))
        return manifest

    def names_manifest(self, address: str) -> Path:
        listing = self.manifest_list
        self.change_manifests(lambda manifests: manifests[0].update(manifest_path=address))
        return listing

    def names_list(self, address: str) -> Path:
        self.change_metadata(lambda content: current_snapshot(content).update({"manifest-list": address}))
        return self.metadata

    def case(self, allow: Sequence[str] = (), limits: Limits = LIMITS) -> Case:
        location = str(self.metadata)
        objects = locate(location, allow=allow, limits=limits).objects
        return read_case(objects, "orders-unknown", location, UNKNOWN_SOURCE)


def _local(address: str) -> Path:
    return Path(address.removeprefix("file://"))


def in_snappy(file: Path, checksum: Checksum = zlib.crc32) -> None:
    """Rewrites an Avro file with snappy, each block followed by a checksum."""
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


__all__ = ["moto_store", "orders"]


@pytest.fixture
def hostile(orders: tuple[str, Path]) -> Hostile:
    return Hostile(Path(orders[0].removeprefix("file://")), orders[1])
