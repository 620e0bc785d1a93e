"""Which bounds are honest truncations of a longer value, and which are loose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.utils.truncate import truncate_upper_bound_binary_string, truncate_upper_bound_text_string

from xtable_audit.model.truncation import TRUNCATED, Side, are_truncated, is_truncated_lower, is_truncated_upper

LONG = "abcdefghijklmnopqrstuvwxyz"
drawn = settings(max_examples=100, derandomize=True, database=None, deadline=None)


@drawn
@given(value=st.text(min_size=TRUNCATED + 1), length=st.integers(TRUNCATED, 40))
def test_head_of_a_text_is_an_honest_lower_bound(value: str, length: int) -> None:
    cut = value[:length]
    assert is_truncated_lower(cut, value) == (cut != value)


@drawn
@given(value=st.text(st.characters(codec="utf-8", exclude_characters="\ud7ff"), min_size=TRUNCATED + 1))
def test_pyicebergs_upper_bound_of_a_text_is_honest(value: str) -> None:
    bound = truncate_upper_bound_text_string(value, TRUNCATED)
    assert bound is None or is_truncated_upper(bound, value)


@drawn
@given(value=st.lists(st.sampled_from([0, 7, 254, 255]), min_size=TRUNCATED + 1).map(bytes))
def test_pyicebergs_upper_bound_of_bytes_is_honest(value: bytes) -> None:
    bound = truncate_upper_bound_binary_string(value, TRUNCATED)
    assert bound is None or is_truncated_upper(bound, value)


HONEST: dict[str, tuple[str | bytes, str | bytes]] = {
    "last character raised": ("abcdefghijklmnoq", LONG),
    "raised past a highest byte, which is left out": (b"a" * 14 + b"b", b"a" * 15 + b"\xff" * 9),
    "raised past highest bytes, which are kept": (b"a" * 14 + b"b\xff", b"a" * 15 + b"\xff" * 9),
    "raised past the surrogates": ("a" * 15 + "\ue000", "a" * 15 + "\ud7ff" + "tail"),
    "longer than it need be": (LONG[:19] + "u", LONG),
}
LOOSE: dict[str, tuple[str | bytes, str | bytes]] = {
    "shorter than sixteen": ("abd", LONG),
    "last character raised by two": ("abcdefghijklmnor", LONG),
    "an earlier character raised": ("abcdefghijklmoop", LONG),
    "one character more": ("abcdefghijklmnoq\0", LONG),
    "of no long value": ("abd", "abc"),
    "as long as the value": ("abcdefghijklmnoq", "abcdefghijklmnop"),
}


@pytest.mark.parametrize(("bound", "value"), HONEST.values(), ids=HONEST.keys())
def test_upper_bound_is_honest(bound: str | bytes, value: str | bytes) -> None:
    assert is_truncated_upper(bound, value)


@pytest.mark.parametrize(("bound", "value"), LOOSE.values(), ids=LOOSE.keys())
def test_upper_bound_is_loose(bound: str | bytes, value: str | bytes) -> None:
    assert not is_truncated_upper(bound, value)


@pytest.mark.parametrize("bound", ["abc", "abcdefghijklmnoo", LONG, "abcdefghijklmno"])
def test_lower_bound_is_loose(bound: str) -> None:
    assert not is_truncated_lower(bound, LONG)


TEXTS = st.text(st.sampled_from("ab~\x7e\x7fé\ud7ff\U0010ffff"), min_size=12, max_size=20)
BYTES = st.lists(st.sampled_from([0, 7, 254, 255]), min_size=12, max_size=20).map(bytes)
SLOW: dict[Side, Callable[[Any, Any], bool]] = {"lower": is_truncated_lower, "upper": is_truncated_upper}


@pytest.mark.parametrize("side", SLOW)
@drawn
@given(data=st.data())
def test_many_bounds_are_judged_as_each_of_them(side: Side, data: st.DataObject) -> None:
    """Heads of the value, at times with the last item raised, and other values."""
    kind, of_kind = data.draw(st.sampled_from([(pa.string(), TEXTS), (pa.binary(), BYTES)]))
    values = data.draw(st.lists(of_kind, max_size=6))
    bounds = [data.draw(of_kind | st.sampled_from(_heads(value)) | st.just(value)) for value in values]
    judged = are_truncated(pa.chunked_array([bounds], kind), pa.chunked_array([values], kind), side)
    assert judged.tolist() == [SLOW[side](bound, value) for bound, value in zip(bounds, values, strict=True)]


def _heads(value: Any) -> list[Any]:
    """Of either length about sixteen, as it is and with its last item raised by one where that gives a value."""
    heads = [value[:length] for length in (15, 16, 17)]
    if isinstance(value, bytes):
        return heads + [head[:-1] + bytes([head[-1] + 1]) for head in heads if head[-1] < 0xFF]
    return heads + [head[:-1] + chr(ord(head[-1]) + 1) for head in heads if head[-1] not in "\ud7ff\U0010ffff"]
