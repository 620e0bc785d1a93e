"""Files made unreadable, in a draft of the recorded XTable table or of the typed one."""

from __future__ import annotations

import json
from collections.abc import Callable

import pyarrow.parquet as pq
from pyiceberg.avro.decoder import StreamingBinaryDecoder

from tests.tables.draft import Draft, Record
from tests.xtable_audit.claims import mutate
from xtable_audit.formats.iceberg.avro import read_header

Malform = Callable[[Draft], str]
"""Spoils a draft; returns the address of the file that must be named."""


def metadata_of(draft: Draft) -> str:
    return draft.table.metadata_location


def list_of(draft: Draft) -> str:
    return draft.manifest_list


def manifest_of(draft: Draft) -> str:
    return draft.manifest_of(0)


def data_of(draft: Draft) -> str:
    return draft.path(0)


def cut(which: Malform, keep: Callable[[int], int]) -> Malform:
    """Only the first bytes left: `keep` of the size."""

    def spoil(draft: Draft) -> str:
        uri = which(draft)
        content = draft.mirror.file(uri).read_bytes()
        draft.mirror.file(uri).write_bytes(content[: keep(len(content))])
        draft.values_changed = True
        return uri

    return spoil


def missing(which: Malform) -> Malform:
    """No such object."""

    def spoil(draft: Draft) -> str:
        uri = which(draft)
        draft.mirror.file(uri).unlink()
        return uri

    return spoil


def holding(which: Malform, content: bytes) -> Malform:
    """Other bytes altogether."""

    def spoil(draft: Draft) -> str:
        uri = which(draft)
        draft.mirror.file(uri).write_bytes(content)
        draft.values_changed = True
        return uri

    return spoil


def flipped(which: Malform, where: Callable[[bytes], int]) -> Malform:
    """One byte inverted, at `where` in the content."""

    def spoil(draft: Draft) -> str:
        uri = which(draft)
        content = bytearray(draft.mirror.file(uri).read_bytes())
        content[where(bytes(content))] ^= 0xFF
        draft.mirror.file(uri).write_bytes(bytes(content))
        draft.values_changed = True
        return uri

    return spoil


def undeflatable(which: Malform) -> Malform:
    """The first block begins with the block type that RFC 1951 (3.2.3) reserves; other spoilt bytes may inflate."""

    def spoil(draft: Draft) -> str:
        uri = which(draft)
        content = bytearray(draft.mirror.file(uri).read_bytes())
        header = read_header(bytes(content))
        decoder = StreamingBinaryDecoder(bytes(content[header.end :]))
        decoder.read_int(), decoder.read_int()
        content[header.end + decoder.tell()] = 0b111
        draft.mirror.file(uri).write_bytes(bytes(content))
        return uri

    return spoil


def swapped(which: Malform, other: Malform) -> Malform:
    """Another file of the table in its place."""

    def spoil(draft: Draft) -> str:
        uri = which(draft)
        draft.mirror.file(uri).write_bytes(draft.mirror.file(other(draft)).read_bytes())
        draft.values_changed = True
        return uri

    return spoil


def metadata_json(change: Callable[[Record], object]) -> Malform:
    """Something else in metadata.json."""

    def spoil(draft: Draft) -> str:
        draft.change_metadata(change)
        return draft.table.metadata_location

    return spoil


def other_tuples(draft: Draft) -> str:
    """A spec whose tuples would be of another type than the manifest's."""
    mutate.set_spec(draft, lambda fields: [field | {"transform": "bucket[4]"} for field in fields])
    return manifest_of(draft)


def manifest_list_at(uri: str) -> Malform:
    """metadata.json with a wrong manifest-list path."""

    def spoil(draft: Draft) -> str:
        draft.change_metadata(lambda m: [s.update({"manifest-list": uri}) for s in m["snapshots"]])
        return uri

    return spoil


def manifest_at(uri: str) -> Malform:
    """A manifest list with a wrong manifest path."""

    def spoil(draft: Draft) -> str:
        draft.change_manifests(lambda manifests: manifests[0].update(manifest_path=uri))
        return uri

    return spoil


def retyped(draft: Draft) -> str:
    """A data file whose struct column is a struct no more, and whose int column holds words."""
    uri = data_of(draft)
    table = pq.read_table(draft.mirror.file(uri))
    words = table["string"]
    pq.write_table(table.set_column(table.column_names.index("int"), "int", words), draft.mirror.file(uri))
    draft.values_changed = True
    return uri


def nested(draft: Draft) -> str:
    """A data file whose int column is a struct."""
    uri = data_of(draft)
    table = pq.read_table(draft.mirror.file(uri))
    pq.write_table(table.set_column(table.column_names.index("int"), "int", table["place"]), draft.mirror.file(uri))
    draft.values_changed = True
    return uri


NOT_ICEBERG = json.dumps({"format": "parquet", "version": 7}).encode()
