"""What a target format rules where formats differ: sentences, tolerances, truncated bounds, claims without a rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.scalars import Mask

Side = Literal["lower", "upper"]

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


@dataclass(frozen=True)
class Rule:
    """What a claim rests on in one format, where it is not what the claim itself says."""

    spec: str
    """The sentence of the format's specification."""
    sentence: str = ""
    """The claim in the format's own terms; "" for the claim's own sentence."""

    def after(self, words: str) -> Rule:
        """The rule of the same claim about an earlier state."""
        return Rule(self.spec, self.sentence and f"{words}, {self.sentence}")


@dataclass(frozen=True)
class TargetRules:
    """The rules of one format. Without anything else, they are those that the claims themselves name."""

    format: str
    """iceberg, delta."""
    rules: Mapping[str, Rule] = field(default_factory=dict)
    """By the claim's id."""
    silent: Mapping[str, str] = field(default_factory=dict)
    """Claims that the format has no rule for, by id. Completes the sentence "the claim needs …"."""
    terms: Mapping[str, str] = field(default_factory=dict)
    """What the format calls what Iceberg calls so: `record_count` -> `numRecords`."""
    coarse: int = 0
    """Microseconds by which a bound of a timestamp may lie below the value that it stands for."""
    one_proof: bool = False
    """Whether a partition value is the column's value in each row of its file, so that planners prove by it and by the
    other columns' statistics at once; Iceberg's take a predicate as a whole by tuples, and again by metrics.
    """
    plans_by_counts: bool = True
    """Whether planners leave out a file whose stored number of rows is 0, and readers answer count(*) by it."""

    def term(self, name: str) -> str:
        return self.terms.get(name, name)

    def reach(self, upper: pa.ChunkedArray) -> pa.ChunkedArray:
        """The greatest value that each upper bound allows in its file."""
        if not self.coarse or not pa.types.is_timestamp(upper.type):
            return upper
        return pc.add(upper.cast(pa.int64()), self.coarse).cast(upper.type)

    def are_cut(self, bounds: pa.ChunkedArray, values: pa.ChunkedArray, side: Side) -> Mask:
        """Marks the bounds beyond their value that writers of the format cut from it; neither has nulls."""
        if pa.types.is_string(bounds.type) or pa.types.is_binary(bounds.type):
            return self.are_truncated(bounds, values, side)
        if not self.coarse or not pa.types.is_timestamp(bounds.type):
            return np.zeros(len(bounds), dtype=bool)
        apart = pc.abs(pc.subtract(bounds.cast(pa.int64()), values.cast(pa.int64())))
        near: Mask = np.asarray(pc.less_equal(apart, self.coarse))
        return near

    def are_truncated(self, bounds: pa.ChunkedArray, values: pa.ChunkedArray, side: Side) -> Mask:
        """Marks legal truncations of long texts and bytes."""
        return are_truncated(bounds, values, side)


def only_icebergs(title: str, rules: str) -> dict[str, str]:
    """`silent` of a format that has none of what Iceberg alone has: `title` and `rules` name the format, as `Delta` and
    `Delta's protocol` do.
    """
    return {
        "value_counts_are_exact": f"stored value counts, which {title} has none of",
        "nan_counts_are_exact": f"stored NaN counts, which {title} has none of",
        "no_bound_is_nan": f"a rule about NaN in bounds, which {rules} has none of",
        "zeros_are_in_total_order": f"an order of -0.0 and +0.0, which {rules} has none of",
        "bounds_are_of_values": "a rule about bounds of a column without values, which carry no information in "
        f"{title}",
        "summaries_cover_every_tuple": f"partition summaries, which {title} has none of",
    }
