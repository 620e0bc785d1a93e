"""Truncated bounds of long strings and bytes, as writers may store them (Iceberg spec, Manifests; `truncate(16)`)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Side = Literal["lower", "upper"]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

TRUNCATED = 16
"""Iceberg's default metrics mode keeps this many characters or bytes of a long value. DuckDB keeps as many whole
characters of a text as fit in so many bytes of UTF-8.
"""

SURROGATES = range(0xD800, 0xE000)
"""Code points that a string cannot hold. U+E000 follows U+D7FF."""


def are_truncated(bounds: pa.ChunkedArray, values: pa.ChunkedArray, side: Side) -> Mask:
    """Marks bounds that are legal truncations of longer values; neither has nulls. Both are strings, or both bytes."""
    marked = _plainly_truncated(bounds, values, side)
    honest = is_truncated_lower if side == "lower" else is_truncated_upper
    others = (column.filter(~marked).to_pylist() for column in (bounds, values))
    marked[~marked] = [honest(bound, value) for bound, value in zip(*others, strict=True)]
    return marked


def _plainly_truncated(bounds: pa.ChunkedArray, values: pa.ChunkedArray, side: Side) -> Mask:
    """Marks those cut after TRUNCATED bytes of whole characters, of which the last, for an upper bound, is raised by
    one and stays a character: what most are, found without a loop.
    """
    cut, true = bounds.cast(pa.binary()), values.cast(pa.binary())
    marked: Mask = np.asarray(pc.greater(pc.binary_length(true), TRUNCATED))
    kept = pc.binary_slice(true.filter(marked), 0, TRUNCATED).combine_chunks()
    content = np.frombuffer(b"".join(kept.to_pylist()), np.uint8).reshape(-1, TRUNCATED).copy()
    raised = np.ones(len(content), dtype=bool)
    if side == "upper":
        raised = content[:, -1] < (0x7F if pa.types.is_string(values.type) else 0xFF)
        content[:, -1] += 1
    wanted = pa.FixedSizeBinaryArray.from_buffers(pa.binary(TRUNCATED), len(content), [None, pa.py_buffer(content)])
    same = pc.equal(cut.filter(marked), wanted.cast(pa.binary()))
    marked = marked.copy()
    marked[marked] = np.asarray(same) & raised
    return marked


def is_truncated_lower(bound: str | bytes, value: str | bytes) -> bool:
    """Whether `bound` is a prefix of the longer `value`, at least as long as writers keep."""
    return _kept(value) <= len(bound) < len(value) and _items(value)[: len(bound)] == _items(bound)


def is_truncated_upper(bound: str | bytes, value: str | bytes) -> bool:
    """Whether `bound` is a prefix of the longer `value` with its last item incremented.

    If the last item is the maximum (U+10FFFF, 0xFF), the item before it is incremented and the maximum kept or dropped.
    """
    cut, true, highest = _items(bound), _items(value), _highest(value)
    raised = next((i for i, (b, v) in enumerate(zip(cut, true, strict=False)) if b != v), None)
    if raised is None or len(cut) >= len(true) or cut[raised] != _next(true[raised], isinstance(value, str)):
        return False
    passed_on = true[raised + 1 : max(len(cut), _kept(value))]
    kept = cut[raised + 1 :]
    return all(item == highest for item in passed_on) and kept == passed_on[: len(kept)]


def has_truncated_upper(value: str | bytes) -> bool:
    """Whether `value`, if it is cut, can be raised to an upper bound: not if all that is kept is the highest item."""
    return len(value) <= TRUNCATED or any(item != _highest(value) for item in _items(value)[:TRUNCATED])


def _highest(value: str | bytes) -> int:
    return 0xFF if isinstance(value, bytes) else 0x10FFFF


def _kept(value: str | bytes) -> int:
    """The least number of items that writers keep of a long value."""
    if isinstance(value, bytes):
        return TRUNCATED
    return len(value.encode("utf-8", "surrogatepass")[:TRUNCATED].decode("utf-8", "ignore"))


def _items(value: str | bytes) -> list[int]:
    return list(value) if isinstance(value, bytes) else [ord(character) for character in value]


def _next(item: int, character: bool) -> int:
    return SURROGATES.stop if character and item + 1 in SURROGATES else item + 1
