"""Which bounds are honest truncations of a longer value, and which are loose."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.utils.truncate import truncate_upper_bound_binary_string, truncate_upper_bound_text_string

from xtable_audit.model.truncation import TRUNCATED, is_truncated_lower, is_truncated_upper

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
