"""One entry of the register: a known finding, and where it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from audit.finding import Blame, Finding, Verdict


@dataclass(frozen=True)
class Where:
    """Tests by tables (by readers, by questions) that an entry is held to: every combination that is a test must fail.

    `tests` are `suites/…/test_x.py::test_y`, `tables` ids of tables under audit, `readers` ids of readers where the
    tests ask them, `questions` the words of questions; none: whatever is asked. `versions` is a PEP 440 range of the
    versions of the entry's subject.
    """

    tests: tuple[str, ...]
    tables: tuple[str, ...]
    versions: SpecifierSet
    verdict: Verdict
    blame: Blame
    readers: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    saw: str = ""
    """Words that the finding's `saw` must hold: a finding of another kind is a new one.

    Not the words of one file among several: which of them a finding tells is chance, as their names are.
    """
    upgrade_from: SpecifierSet | None = None
    """It holds in metadata that a release in this range began and one in `versions` goes on with, and there alone."""
    at_times: str = ""
    """How seldom it is seen, of what comes and goes: its tests may fail like this, as the entry says else, or pass."""

    def concerns(self, test: str, params: Mapping[str, Any]) -> bool:
        """Whether it holds for that test with these parameters (`table`, `reader`, `question`)."""
        return (
            test in self.tests
            and params.get("table") in self.tables
            and (params.get("reader") in self.readers if self.readers else params.get("reader") is None)
            and (not self.questions or params.get("question") in self.questions)
        )

    def covers(self, version: str) -> bool:
        """Whether `version` lies in the range; a candidate or a snapshot counts as its release.

        What has no number (a jar of the user's own) lies in no range: its findings are new ones.
        """
        return _within(version, self.versions)

    def in_force(self, version: str, since: str | None = None) -> bool:
        """Whether it covers `version`, and metadata that was begun by `since`, if it was upgraded in place."""
        begun_so = self.upgrade_from is None or (since is not None and _within(since, self.upgrade_from))
        return begun_so and self.covers(version)

    def describes(self, finding: Finding) -> bool:
        return finding.verdict == self.verdict and finding.blame == self.blame and self.saw in finding.saw


@dataclass(frozen=True)
class Entry:
    """One known finding. `subject` is what its versions are versions of: `xtable`, a reader's id, `hudi`, `spark`."""

    id: str
    title: str
    subject: str
    where: tuple[Where, ...]
    link: str = ""
    """A thread where it is known; none: nobody has told it yet."""
    workaround: str = ""
    """How a user avoids it today."""
    reproduce: str = ""
    """The smallest table that shows it."""

    def at(
        self, test: str, params: Mapping[str, Any], versions: Mapping[str, str], since: str | None = None
    ) -> Where | None:
        """The part of the entry that is in force for that test, at these versions (name to version).

        After an upgrade in place from `since`, what holds for that goes before what holds for any metadata.
        """
        held = [one for one in self._in_force(test, params, versions, since) if not one.at_times]
        return min(held, key=lambda one: one.upgrade_from is None, default=None)

    def lapses(
        self, test: str, params: Mapping[str, Any], versions: Mapping[str, str], since: str | None = None
    ) -> tuple[Where, ...]:
        """The parts in force for that test of what is seen at times alone."""
        return tuple(one for one in self._in_force(test, params, versions, since) if one.at_times)

    def _in_force(
        self, test: str, params: Mapping[str, Any], versions: Mapping[str, str], since: str | None
    ) -> list[Where]:
        version = versions.get(self.subject)
        if version is None:
            return []
        return [one for one in self.where if one.concerns(test, params) and one.in_force(version, since)]

    @property
    def tables(self) -> tuple[str, ...]:
        """Every table it holds for, each once."""
        return tuple(dict.fromkeys(table for one in self.where for table in one.tables))


def _within(version: str, range: SpecifierSet) -> bool:
    return is_numbered(version) and range.contains(base_version(version), prereleases=True)


def is_numbered(version: str) -> bool:
    return version[:1].isdigit()


def base_version(version: str) -> Version:
    """`0.4.0-incubating-rc2` as the PEP 440 version 0.4.0. Raises ValueError for what has no numbers at its head."""
    numbers = re.match(r"\d+(\.\d+)*", version)
    if numbers is None:
        raise ValueError(f"{version!r} does not start with a version number")
    return Version(numbers.group())


def overlap(one: SpecifierSet, other: SpecifierSet) -> bool:
    """Whether some version lies in both ranges. Ranges are told apart at their own ends, and just beside them."""
    ends = [re.sub(r"\.\*$", "", specifier.version) for ranges in (one, other) for specifier in ranges]
    beside = [Version(text) for end in ends for text in (end, f"{end}.0.1")]
    tried = [Version("0"), *beside]
    return any(v in one and v in other for v in tried)
