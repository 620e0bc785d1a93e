"""`test_x = hold(claim)` makes the test of a claim, with the claim's sentence as its docstring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from xtable_audit.blame.findings import judge
from xtable_audit.model.claim import Claim
from xtable_audit.model.finding import Blame, FindingError
from xtable_audit.pytest_plugin.applies import demand
from xtable_audit.subject.case import Case

Test = Callable[..., None]
WRITER = Blame.writer("unknown")


def hold(claim: Claim[Case, Any], *marks: pytest.MarkDecorator) -> Test:
    """A test that checks a claim about Iceberg metadata on each table of `--iceberg-table`.

    A claim that fails raises FindingError. A claim that would compare nothing skips the test, with the reason.
    """

    def test(iceberg_table: Case) -> None:
        demand(claim, iceberg_table)
        finding = judge(claim, iceberg_table, WRITER, "it wrote this metadata")
        if finding is not None:
            raise FindingError(finding)

    return test_of(claim, test, *marks)


def test_of(claim: Claim[Any, Any], test: Test, *marks: pytest.MarkDecorator) -> Test:
    """`test`, named and described by its claim, run once for each of the marks' parameters.

    pytest reports the claim's check function as its location.
    """
    test.__name__ = test.__qualname__ = f"test_{claim.id}"
    test.__doc__ = f"{claim.sentence[0].upper()}{claim.sentence[1:]}."
    test.place_as = claim.check  # type: ignore[attr-defined]  # pytest's own name for it
    for mark in reversed(marks):
        test = mark(test)
    return test
