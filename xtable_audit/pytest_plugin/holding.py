"""`test_x = hold(claim)` makes the test of a claim, which carries the claim and has its sentence as its docstring."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from xtable_audit.check.as_configured import AsConfigured
from xtable_audit.check.ignore import Ignores
from xtable_audit.check.recognise import recognise
from xtable_audit.check.ruling import ruling
from xtable_audit.formats.targets import target_of
from xtable_audit.judge.table_findings import judge_table
from xtable_audit.model.claim import Claim
from xtable_audit.pytest_plugin.applies import NotApplicable, compared
from xtable_audit.pytest_plugin.threshold import Threshold
from xtable_audit.register.bundled import entries_of
from xtable_audit.subject.case import Case

Test = Callable[..., None]


def hold(claim: Claim[Case, Any], *marks: pytest.MarkDecorator) -> Test:
    """A test that checks a claim about a table's metadata on each table of `--table`.

    A claim about tables of another format is not applicable. One that fails raises FindingError, which names the known
    finding that it is, if it is one. A finding below `--fail-on`, accepted or ignored is expected to fail (xfail). A
    claim that would compare nothing skips the test, with the reason.
    """

    def test(checked_table: Case, request: pytest.FixtureRequest) -> None:
        stored, threshold = checked_table.stored, Threshold.of(request.config)
        target = target_of(stored.metadata_location)
        if claim.of not in (None, target.name):
            raise NotApplicable(f"it is no claim about {target.title} tables")
        writer = target.check.writer(stored)
        configured = AsConfigured(stored, writer)
        ignores = Ignores.of(threshold.ignored, checked_table.id)
        judgement = judge_table(
            claim,
            checked_table,
            partial(ruling, writer, stored),
            left=lambda found: ignores.left(claim, configured.left(claim, found)),
            finish=lambda finding, _: recognise(finding, writer, entries_of(stored.native.rules.format)),
        )
        if finding := compared(judgement):
            threshold.weigh(finding, ignores, request.node)

    return test_of(claim, test, *marks)


def test_of(claim: Claim[Any, Any], test: Test, *marks: pytest.MarkDecorator) -> Test:
    """`test`, named and described by its claim, run once for each of the marks' parameters. `claim_of` gets the claim.

    pytest reports the claim's check function as its location.
    """
    test.__name__ = test.__qualname__ = f"test_{claim.id}"
    test.__doc__ = claim.statement
    test.claim = claim  # type: ignore[attr-defined]
    test.place_as = claim.check  # type: ignore[attr-defined]  # pytest's own name for it
    for mark in reversed(marks):
        test = mark(test)
    return test


def claim_of(item: pytest.Item) -> Claim[Any, Any]:
    """The claim that an item checks, whose test `test_of` made."""
    claim: Claim[Any, Any] = item.function.claim  # type: ignore[attr-defined]
    return claim
