"""`test_x = hold(claim)` makes the test of a claim: which findings fail it, and why it is skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from xtable_audit.check.excused import AsConfigured, Ignores
from xtable_audit.check.recognise import recognise, ruling
from xtable_audit.formats.installed import known_claims, target_of
from xtable_audit.judge import Judgement, judge_table
from xtable_audit.model.claim import Claim
from xtable_audit.model.finding import Finding, FindingError, Verdict
from xtable_audit.model.outcome import Cause, Outcome
from xtable_audit.model.own_table import ENDED, FAIL_ON, reaches
from xtable_audit.model.problem import Problem
from xtable_audit.register.bundled import bundled_register, entries_of
from xtable_audit.register.ignore_file import IgnoreEntry, read_ignore_file
from xtable_audit.register.register import now_called
from xtable_audit.subject.case import Case

IGNORED = "xtable-audit ignored"
"""The property of a test's report that names an entry which matched."""


@dataclass(frozen=True)
class Threshold:
    fail_on: Verdict
    accepted: tuple[str, ...]
    ignored: tuple[IgnoreEntry, ...]

    @classmethod
    def of(cls, config: pytest.Config) -> Threshold:
        """That of the run's options. Raises UsageError for an id that the register lacks, and a bad ignore file."""
        held = config.stash.get(THRESHOLD, None)
        if held is None:
            held = config.stash[THRESHOLD] = cls._read(config)
        return held

    @classmethod
    def _read(cls, config: pytest.Config) -> Threshold:
        accepted = tuple(config.getoption("--accept"))
        entries = bundled_register() if accepted else ()
        if unknown := [id for id in accepted if id not in {one.id for one in entries}]:
            raise pytest.UsageError(f"--accept {unknown[0]}: {now_called(unknown[0], entries)}")
        try:
            ignored = read_ignore_file(config.getoption("--ignore-findings"), known_claims())
        except Problem as problem:
            raise pytest.UsageError(str(problem)) from problem
        return cls(Verdict(config.getoption("--fail-on") or FAIL_ON), accepted, ignored)

    def weigh(self, finding: Finding, ignores: Ignores, item: pytest.Item) -> None:
        """Raises FindingError if the finding counts; else the test is expected to fail."""
        why = "accepted" if finding.registered in self.accepted else ignores.excuse(finding)
        item.user_properties += [(IGNORED, one.what) for one in ignores.matching(finding)]
        if why:
            pytest.xfail(f"{why}: {finding}")
        if not reaches(finding.verdict, self.fail_on):
            pytest.xfail(f"advice, below --fail-on {self.fail_on}: {finding}")
        raise FindingError(finding)

    def report(self, used: set[str]) -> Iterator[str]:
        """What the user must know of the entries of the ignore file."""
        today = datetime.now(UTC).date()
        for one in self.ignored:
            if one.until < today:
                yield ENDED.format(until=one.until, what=one.what)
            elif one.what not in used:
                yield f"Matched nothing in this run: {one.what} in the ignore file."


THRESHOLD = pytest.StashKey[Threshold]()


def ignored_by(reports: Iterable[Any]) -> set[str]:
    """The entries that matched, by the properties of tests' reports."""
    return {value for one in reports for key, value in getattr(one, "user_properties", ()) if key == IGNORED}


NOT_APPLICABLE = "not applicable: "
INCONCLUSIVE = "inconclusive: "


class NotApplicable(pytest.skip.Exception):  # type: ignore[name-defined,misc]  # whose type pytest leaves open
    """Skips a test whose claim has nothing to compare. Any other skip is inconclusive."""

    def __init__(self, why: str, cause: Cause | None = None) -> None:
        super().__init__(f"{NOT_APPLICABLE}{why}")
        self.why = why
        self.cause = cause


def compared(judgement: Judgement) -> Finding | None:
    """The finding if the claim fails, None if it holds.

    Skips the test if nothing is compared: not applicable to the table, or inconclusive in this run.
    """
    if judgement.outcome is Outcome.NOT_APPLICABLE:
        raise NotApplicable(judgement.reason, judgement.cause)
    if judgement.outcome is Outcome.INCONCLUSIVE:
        pytest.skip(f"{INCONCLUSIVE}{judgement.reason}")
    return judgement.finding


def settle(judgement: Judgement) -> None:
    """Passes, skips or fails the test. Raises FindingError if the claim fails."""
    finding = compared(judgement)
    if finding is not None:
        raise FindingError(finding)


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
