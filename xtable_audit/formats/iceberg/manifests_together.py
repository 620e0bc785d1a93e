"""Reads many small manifests as one: a stream leaves one of a few entries for each of its commits."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from random import SystemRandom
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from xtable_audit.formats.iceberg.avro import MAGIC, PART, InflatedPart, decoded, inflated_parts, long
from xtable_audit.formats.iceberg.avro_guards import Weight
from xtable_audit.formats.iceberg.manifest_fields import OF_MANIFEST, demand_ids
from xtable_audit.formats.iceberg.manifest_header import header_of
from xtable_audit.formats.iceberg.manifests import (
    DATA,
    NO_METRICS,
    Manifests,
    manifest_of,
    manifests_in,
    read_manifest,
    refuse_outside,
)
from xtable_audit.model.limits import Limits, interruption
from xtable_audit.model.objects import Objects

RANDOM = SystemRandom()
NUMBERS = 1 << 24, 1 << 31
"""Marks are from the first to before the second, which fit into an int."""
TAKES = 16 * PART
"""Bytes that the records of files that are read together may take in Arrow, at worst."""


def whole(content: bytes, limits: Limits) -> InflatedPart | None:
    """All records of a file. None if it has to be read alone: it is large, or something is wrong with it."""
    if not content.startswith(MAGIC):
        return None
    try:
        part, *more = inflated_parts(content, limits)
        _mark(part.schema)
    except Exception:  # noqa: BLE001  # the reader of the manifest alone says what it is
        return None
    return part if not more and fit(part.weight, part.records + 1, part.size) else None


def fit(weight: Weight, records: int, size: int) -> bool:
    """Whether so many records and marks, of so many encoded bytes, are few enough to be read together."""
    return size <= PART and weight.most(records, size) <= TAKES


def together(parts: Sequence[InflatedPart]) -> pa.Table:
    """The records of all. Raises ValueError, or what DataFusion raises, if one of them is broken."""
    first, mark = parts[0], RANDOM.randrange(*NUMBERS)
    behind = long(mark) + _mark(first.schema)
    content = tuple(chain.from_iterable((*part.blocks, behind) for part in parts))
    counts = np.array([part.records + 1 for part in parts])
    table = decoded(InflatedPart(first.stored, first.schema, first.weight, int(counts.sum()), content, first.sync))
    marks = np.cumsum(counts) - 1
    if any(found != mark for found in table.column(0).take(pa.array(marks)).to_pylist()):
        raise ValueError("a file holds other records than it promises")
    return table.take(pa.array(np.delete(np.arange(table.num_rows), marks)))


@lru_cache(maxsize=64)
def _mark(schema: bytes) -> bytes:
    """A record of nulls and zeros, without its first field. Raises ValueError if that is no number."""
    record = json.loads(schema)
    first, *others = record["fields"]
    if first["type"] not in ("int", "long"):
        raise ValueError("a record does not begin with a number")
    named: dict[str, Any] = {}
    return b"".join(_least(one["type"], named) for one in others)


ZERO = {"null": b"", "float": bytes(4), "double": bytes(8)} | dict.fromkeys(
    ("boolean", "int", "long", "bytes", "string", "array", "map", "enum"), b"\0"
)
"""By type (Avro specification, Binary Encoding)."""


def _least(kind: Any, named: dict[str, Any]) -> bytes:
    """The encoding of null, or of a value of zeros."""
    if isinstance(kind, list):
        place = kind.index("null") if "null" in kind else 0
        return long(place) + _least(kind[place], named)
    if not isinstance(kind, Mapping):
        return ZERO[kind] if kind in ZERO else _least(named[kind], named)
    if "name" in kind:
        named[kind["name"]] = kind
    if kind["type"] == "record":
        return b"".join(_least(one["type"], named) for one in kind["fields"])
    return bytes(kind["size"]) if kind["type"] == "fixed" else _least(kind["type"], named)


Listed = Mapping[str, Any]
MOST = 512
"""Manifests that are read together: their files are held until they are decoded."""
SMALL = 64 << 10
"""Bytes of a manifest that is read with others. A larger one takes longer than what is the same for each."""


NOTHING_READ: Mapping[str, bytes] = MappingProxyType({})


def in_groups(listing: Sequence[Listed], most: int = MOST) -> Iterator[list[Listed]]:
    """Neighbours of one content and partition spec that are small, by what the list says of them; others alone."""
    group: list[Listed] = []
    for listed in listing:
        if group and (len(group) >= most or _key(listed) != _key(group[0])):
            yield group
            group = []
        group.append(listed)
        if not _is_small(listed.get("manifest_length")):
            *before, last = group
            if before:
                yield before
            yield [last]
            group = []
    if group:
        yield group


def _is_small(length: Any) -> bool:
    """By what the list says, which need not be so, or a number."""
    return isinstance(length, int) and 0 <= length <= SMALL


def _key(listed: Listed) -> tuple[Any, Any]:
    return listed.get("content", DATA), listed["partition_spec_id"]


@dataclass(frozen=True)
class _HeldManifest:
    listed: Listed
    content: bytes
    part: InflatedPart


def read_group(
    objects: Objects, group: Sequence[Listed], ids: Collection[int], contents: Mapping[str, bytes] = NOTHING_READ
) -> Iterator[Manifests]:
    """The manifests, in order. Raises Malformed, as each of them read alone. `contents`: of files that are read, by
    address.
    """
    if len(group) == 1:
        yield _alone(objects, group[0], contents.get(str(group[0]["manifest_path"])), ids)
        return
    held: list[_HeldManifest] = []
    records = size = 0
    for listed in group:
        path = str(listed["manifest_path"])
        content = contents[path] if path in contents else objects.read(path)
        part = whole(content, objects.limits)
        if part is not None:
            records, size = records + part.records + 1, size + part.size
        if held and not (part and part.schema == held[0].part.schema and fit(part.weight, records, size)):
            yield from _of(objects, held, ids)
            held = []
        if part is None:
            yield _alone(objects, listed, content, ids)
            continue
        if not held:
            records, size = part.records + 1, part.size
        held.append(_HeldManifest(listed, content, part))
    if held:
        yield from _of(objects, held, ids)


def _alone(objects: Objects, listed: Listed, content: bytes | None, ids: Collection[int]) -> Manifests:
    one = read_manifest(objects, listed, ids) if content is None else manifest_of(objects, listed, content, ids)
    return Manifests((replace(one, metrics=NO_METRICS),), one.live, one.metrics)


def _of(objects: Objects, held: Sequence[_HeldManifest], ids: Collection[int]) -> Iterator[Manifests]:
    """If something is wrong with one of them, they are read one by one, and who reads it says what."""
    try:
        table = together([one.part for one in held])
        found = manifests_in(table, [one.listed for one in held], [one.part.records for one in held], ids)
        for schema in {one.part.stored for one in held}:
            demand_ids(found.each[0].path, schema, OF_MANIFEST)
        refuse_outside(objects, found.each[0].path, "file", found.live["file_path"])
    except Exception as error:  # noqa: BLE001  # DataFusion raises bare Exceptions, also of an interrupt
        if (interrupt := interruption(error)) is not None:
            raise interrupt from None
        yield from (_alone(objects, one.listed, one.content, ids) for one in held)
        return
    each = (
        replace(one, size=len(read.content), header=header_of(read.content))
        for one, read in zip(found.each, held, strict=True)
    )
    yield replace(found, each=tuple(each))
