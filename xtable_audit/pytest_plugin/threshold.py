"""Which findings fail a test of a user's own table: by `--fail-on`, `--accept` and the ignore file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from xtable_audit.check.ignore import Ignores
from xtable_audit.formats.targets import known_claims
from xtable_audit.model.finding import Finding, FindingError, Verdict
from xtable_audit.model.ignoring import ENDED
from xtable_audit.model.own_table import FAIL_ON, reaches
from xtable_audit.model.problem import Problem
from xtable_audit.register.bundled import bundled_register
from xtable_audit.register.ignore_file import IgnoreEntry, read_ignore_file
from xtable_audit.register.register import now_called

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
