"""Metrics of manifests as columns, beside the slow way to the same: one entry after the other."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg import types

from xtable_audit.formats.iceberg.metric_maps import MAPS, by_field, column_of
from xtable_audit.formats.iceberg.single_value import decode

IDS = st.integers(-3, 6)
VALUES = {pa.int64(): st.integers(-(2**63), 2**63 - 1), pa.binary(): st.binary(max_size=3)}
MAP = {name: pa.list_(pa.struct([("key", pa.int32()), ("value", kind)])) for name, kind in MAPS.items()}


@settings(derandomize=True, database=None, deadline=None)
@given(data=st.data(), ids=st.lists(IDS, unique=True))
def test_each_field_has_the_value_that_its_entry_maps_it_to(data: st.DataObject, ids: list[int]) -> None:
    """Entries that have the same fields among them."""
    for name, kind in MAPS.items():
        pairs = st.lists(st.tuples(IDS, VALUES[kind]), max_size=4)
        entries: list[list[tuple[int, Any]] | None] = data.draw(st.lists(st.none() | pairs, max_size=5))
        entries *= data.draw(st.integers(1, 3)) if len(entries) == 1 else 1
        maps = [None if one is None else [{"key": key, "value": value} for key, value in one] for one in entries]
        found = by_field(pa.table({name: pa.array(maps, MAP[name])}), ids)
        for id in ids:
            assert found[column_of(name, id)].to_pylist() == [dict(one or ()).get(id) for one in entries]


def test_entries_without_maps_have_nulls() -> None:
    found = by_field(pa.table({"file_path": ["a", "b"]}), [1])
    assert found.column_names == [column_of(name, 1) for name in MAPS]
    assert all(values.null_count == 2 for values in found.columns)


UNSCALED = st.none() | st.binary(min_size=1, max_size=16)


@settings(derandomize=True, database=None, deadline=None)
@given(encoded=st.lists(UNSCALED, max_size=8), start=st.integers(0, 3))
def test_decimals_of_any_width_are_those_of_their_integers(encoded: list[bytes | None], start: int) -> None:
    """Padded ones too, and a part of an array."""
    values = pa.array(encoded, pa.binary()).slice(start)
    decoded = decode(values, types.DecimalType(38, 0))
    assert [_unscaled(decoded, place) for place in range(len(decoded))] == [
        one and int.from_bytes(one, "big", signed=True) for one in encoded[start:]
    ]


def _unscaled(decimals: pa.Array, place: int) -> int | None:
    """By the bytes: a stranger's may have more than 38 digits."""
    content: Any = decimals.buffers()[1]
    first = (decimals.offset + place) * 16
    return int.from_bytes(content[first : first + 16], "little", signed=True) if decimals[place].is_valid else None


NARROW_OR_WIDE = st.none() | st.binary(min_size=4, max_size=4) | st.binary(min_size=8, max_size=8)


@settings(derandomize=True, database=None, deadline=None)
@given(encoded=st.lists(NARROW_OR_WIDE, max_size=8), start=st.integers(0, 3))
def test_bounds_from_before_a_promotion_lie_beside_later_ones(encoded: list[bytes | None], start: int) -> None:
    decoded = decode(pa.array(encoded, pa.binary()).slice(start), types.LongType())
    assert decoded.to_pylist() == [one and int.from_bytes(one, "little", signed=True) for one in encoded[start:]]
