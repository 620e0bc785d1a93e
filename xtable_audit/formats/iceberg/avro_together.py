"""Reads Avro files of one schema as one: a decoder takes a millisecond for each file, however few its records are.

Nothing in an Avro block tells where a record ends, so that the last record of one file could take bytes of the next. A
mark is put behind each file's records, which no stranger knows: a record that begins with a random number. If each is
found where it belongs, each file holds the records that it promises, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from random import SystemRandom
from typing import Any

import numpy as np
import pyarrow as pa

from xtable_audit.formats.iceberg.avro import MAGIC, PART, InflatedPart, decoded, inflated_parts, long
from xtable_audit.formats.iceberg.avro_schema import Weight
from xtable_audit.model.limits import Limits

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
    except Exception:  # noqa: BLE001  # whoever reads it alone says what it is
        return None
    return part if not more and fit(part.weight, part.records + 1, part.size) else None


def fit(weight: Weight, records: int, size: int) -> bool:
    """Whether so many records and marks, of so many encoded bytes, are few enough to be read together."""
    return size <= PART and weight.most(records, size) <= TAKES


def together(parts: Sequence[InflatedPart]) -> pa.Table:
    """The records of all. Raises ValueError, or what DataFusion raises, if one of them is broken."""
    first, mark = parts[0], RANDOM.randrange(*NUMBERS)
    behind = long(mark) + _mark(first.schema)
    content = list(chain.from_iterable((*part.blocks, behind) for part in parts))
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
