"""One entry of the register: a known finding, and where it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from xtable_audit.model.finding import Blame, Finding, Verdict

NONE_KNOWN = "none known"
"""The remedy of an entry that nobody knows a remedy for."""


class Kind(StrEnum):
    """Why a finding is a fault at all."""

    VIOLATION = "violation"
    """The metadata, or a reader, breaks a sentence of a specification."""
    MISTRANSLATION = "mistranslation"
    """Source and target disagree: files or rows are lost, duplicated or stale, or the source is not translated."""
    LIMIT = "limit"
    """The project documents that it does not do this."""
    UNVALIDATED_CONFIGURATION = "unvalidated configuration"
    """The configuration or the value is wrong or ambiguous, and nothing checks it."""
    QUALITY = "quality"
    """Legal, and slower than it could be."""


class Common(StrEnum):
    """How common the condition is under which a finding is seen."""

    EVERYDAY = "everyday"
    OCCASIONAL = "occasional"
    RARE = "rare"


@dataclass(frozen=True)
class Condition:
    """What leads to a finding, so that any table can be recognised: one of these fields or more."""

    types: tuple[str, ...] = ()
    """Types of columns, as Hudi (Avro) or Delta names them."""
    values: str = ""
    """Values, or events in the table's history."""
    settings: tuple[str, ...] = ()
    """`name=value` where a setting has to have that value, else its name."""


@dataclass(frozen=True)
class Where:
    """Claims by subjects (by readers, by questions) that must fail: every combination that is a test.

    `claims` are ids of claims, `subjects` ids of tables under audit, `readers` ids of readers where the claims are
    about readers, `questions` the words of questions; none: whatever is asked. `releases` is a PEP 440 range of the
    releases of the entry's component.
    """

    claims: tuple[str, ...]
    subjects: tuple[str, ...]
    releases: SpecifierSet
    verdict: Verdict
    kind: Kind
    blame: Blame
    columns: tuple[str, ...] = ()
    """Every column that the finding may name, or patterns of them. None: whatever it names."""
    readers: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    saw: str = ""
    """Words that the finding's `saw` must hold: a finding of another kind is a new one.

    Not the words of one file among several: which of them a finding tells is chance, as their names are.
    """
    upgrade_from: SpecifierSet | None = None
    """It holds in metadata that a release in this range began and one in `releases` goes on with, and there alone."""
    at_times: str = ""
    """For intermittent findings: how often it was seen. Its tests may fail this way, as registered elsewhere, or pass.
    """

    def concerns(self, claim: str, params: Mapping[str, Any]) -> bool:
        """Whether it holds for that claim with these parameters of its test (`table`, `reader`, `question`)."""
        return (
            claim in self.claims
            and params.get("table") in self.subjects
            and (params.get("reader") in self.readers if self.readers else params.get("reader") is None)
            and (not self.questions or params.get("question") in self.questions)
        )

    def covers(self, version: str) -> bool:
        """Whether `version` lies in the range; a candidate or a snapshot counts as its release.

        What has no number (a jar of the user's own) lies in no range: its findings are new ones.
        """
        return _within(version, self.releases)

    def in_force(self, version: str, since: str | None = None) -> bool:
        """Whether it covers `version`, and metadata that was begun by `since`, if it was upgraded in place."""
        begun_so = self.upgrade_from is None or (since is not None and _within(since, self.upgrade_from))
        return begun_so and self.covers(version)

    def describes(self, finding: Finding) -> bool:
        """Whether the finding is the registered one. The same in a column that is not registered is a new finding."""
        same = finding.verdict == self.verdict and finding.blame == self.blame and self.saw in finding.saw
        return same and self.names(finding.columns)

    def names(self, columns: tuple[str, ...]) -> bool:
        """Whether a finding of this kind may name all of these columns."""
        return not self.columns or all(
            any(fnmatchcase(column, pattern) for pattern in self.columns) for column in columns
        )


@dataclass(frozen=True)
class Entry:
    """One known finding. `component` is what `releases` are releases of: `xtable`, a reader's id, `hudi`, `spark`."""

    id: str
    title: str
    """In a user's words."""
    component: str
    cause: str
    """Where and how the value goes wrong, as far as it is known."""
    condition: Condition
    common: Common
    searched: date
    """When threads were last searched for."""
    remedy: str
    """What a user does today, or NONE_KNOWN."""
    where: tuple[Where, ...]
    threads: tuple[str, ...] = ()
    """Addresses of the threads that are about it; none: nobody has reported it yet."""
    proven_by: str = ""
    """The table on which the entry's claims hold, because the remedy is applied there."""
    reproduce: str = ""
    """The smallest table that shows it."""

    def at(
        self, claim: str, params: Mapping[str, Any], versions: Mapping[str, str], since: str | None = None
    ) -> Where | None:
        """The part of the entry that is in force for that claim, at these versions (name to version).

        After an upgrade in place from `since`, what holds for that goes before what holds for any metadata.
        """
        held = [one for one in self._in_force(claim, params, versions, since) if not one.at_times]
        return min(held, key=lambda one: one.upgrade_from is None, default=None)

    def lapses(
        self, claim: str, params: Mapping[str, Any], versions: Mapping[str, str], since: str | None = None
    ) -> tuple[Where, ...]:
        """The parts in force for that claim of what is seen at times alone."""
        return tuple(one for one in self._in_force(claim, params, versions, since) if one.at_times)

    def _in_force(
        self, claim: str, params: Mapping[str, Any], versions: Mapping[str, str], since: str | None
    ) -> list[Where]:
        version = versions.get(self.component)
        if version is None:
            return []
        return [one for one in self.where if one.concerns(claim, params) and one.in_force(version, since)]

    @property
    def subjects(self) -> tuple[str, ...]:
        """Every table it holds for, each once."""
        return tuple(dict.fromkeys(subject for one in self.where for subject in one.subjects))


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
