"""Tests that `-k` cannot match are not made, and those that are left are the ones that pytest itself would leave."""

from __future__ import annotations

import re

import pytest

from tests.run.conftest import Audit


def collected(audit: Audit, keyword: str) -> tuple[list[str], int]:
    """The tests that are left, and how many were made."""
    text = audit("--collect-only", "-q", "--xtable=0.4.0", "-k", keyword).text
    made = re.search(r"(?:\d+/)?(\d+) tests collected|\((\d+) deselected\)", text)
    assert made, text
    return [line for line in text.splitlines() if "::" in line], int(made[1] or made[2])


@pytest.mark.parametrize(
    "keyword",
    ["bounds and good_layout-XTABLE", "history_upsert or plain_types and not reader", "full_sync", "no_such_name"],
)
def test_k_leaves_what_pytest_leaves(audit: Audit, keyword: str) -> None:
    """In parentheses a keyword is pytest's alone."""
    left, made = collected(audit, keyword)
    by_pytest, every = collected(audit, f"({keyword})")
    assert left == by_pytest
    assert made < every / 4
