"""One entry of the register: a known finding, and where it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache, cached_property
from typing import Annotated, Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version
from pydantic import BeforeValidator

from xtable_audit.model.deviation_kind import DeviationKind, Sign
from xtable_audit.model.finding import Blame, Finding, Verdict
from xtable_audit.model.subject_id import HUDI, SubjectId
from xtable_audit.register.affects import Affects
from xtable_audit.register.code import UNREAD, Main, ReadCode
from xtable_audit.register.fields import Day, OneOrMore, Releases, Row, Text, Texts
from xtable_audit.register.public_thread import Thread

FIRST_TO_HUDI = Version("0.4")
"""The first release of XTable of which it is known what it writes as Hudi."""
NONE_KNOWN = "none known"
"""The value of `remedy` in an entry without a known remedy."""


class Kind(StrEnum):
    """Why a finding is a fault."""

    VIOLATION = "violation"
    """The metadata or a reader violates a specification."""
    MISTRANSLATION = "mistranslation"
    """Source and target disagree: files or rows are lost, duplicated or stale, or the source is not translated."""
    LIMIT = "limit"
    """The project documents that it does not do this."""
    UNVALIDATED_CONFIGURATION = "unvalidated configuration"
    """The configuration or the value is wrong or ambiguous, and nothing checks it."""
    QUALITY = "quality"
    """Legal, and slower than it could be."""


class ActsOn(StrEnum):
    """What a remedy changes. What XTable wrote before stays as it is, unless the remedy says what to do about it."""

    SOURCE = "source"
    """The source: its settings, its values, how it is written or read."""
    SYNC = "sync"
    """How or when to sync."""
    CONFIGURATION = "configuration"
    """XTable's configuration of the table."""
    READER = "reader"
    """A reader's settings, or how it is asked."""
    METADATA = "metadata"
    """The metadata that is written: the remedy says itself what becomes of it."""


class Common(StrEnum):
    """How common the condition of a finding is."""

    EVERYDAY = "everyday"
    OCCASIONAL = "occasional"
    RARE = "rare"


def _blame(path: Any) -> Any:
    return Blame(path) if isinstance(path, str) else path  # whose error names what there is


@dataclass(frozen=True)
class Where(Row):
    """Claims by subjects (by readers, by planners, by questions) that must fail, in every combination that is a test.

    `claims`, `subjects` and `readers` are ids; `readers` is empty unless the claims are about readers. `questions` are
    texts of questions, and `planners` ids; empty means all. `releases` is a PEP 440 range of releases of `component`:
    `xtable`, a reader's id, `hudi`, `spark`.
    """

    claims: Texts
    subjects: Texts
    component: Text
    releases: Releases
    verdict: Verdict
    kind: Kind
    blame: Annotated[Blame, BeforeValidator(_blame)]
    columns: Texts = ()
    """Columns that the finding may name, or patterns of them. Empty means any column."""
    readers: Texts = ()
    planners: Texts = ()
    questions: Texts = ()
    saw: OneOrMore = ()
    """Texts, one of which the finding's `saw` must contain; a finding without any is new. Empty means any.

    A value that the metadata or the files hold, or another program's words: how XTable or a reader fails is known by
    its message alone. Never the suite's own words, which no outcome may depend on: claim, verdict, columns and extent
    say the same. Nothing of one file among several either: which one a finding names varies between runs.
    """
    deviation: DeviationKind | None = None
    """How the claim breaks; in another way the finding is new. None means any."""
    sign: Sign | None = None
    """What all deviating bounds share, by which the finding is known on tables that no block names, too."""
    misfit: Text = ""
    """The column because of which a data file cannot be read; because of another the finding is new. "" means any."""
    upgrade_from: Releases | None = None
    """If set, the block holds only in metadata that a release in this range created and one in `releases` continues."""
    at_times: Text = ""
    """For intermittent findings: how often it was seen. Its tests may fail this way, as registered elsewhere, or pass.
    """
    locked: bool = False
    """Whether subjects, columns and XTable's releases are those of the locked file (`xtable_audit/register/locked.py`).
    """

    @cached_property
    def targets(self) -> frozenset[str]:
        """The formats of the metadata that it holds in."""
        return frozenset(SubjectId.parse(subject).target for subject in self.subjects)

    def concerns(self, claim: str, params: Mapping[str, Any]) -> bool:
        """Whether the block applies to that claim with these test parameters (`table`, `reader`, `question`)."""
        return (
            claim in self.claims
            and params.get("table") in self.subjects
            and (params.get("reader") in self.readers if self.readers else params.get("reader") is None)
            and (not self.planners or params.get("planner") in self.planners)
            and (not self.questions or params.get("question") in self.questions)
        )

    def covers(self, version: str) -> bool:
        """Whether `version` is in `releases`. A candidate or a snapshot counts as its release.

        A version without a number (a jar of the user's own) is in no range, so its findings are new.
        """
        if version not in self._covered:
            self._covered[version] = _within(version, self.releases)
        return self._covered[version]

    @cached_property
    def _covered(self) -> dict[str, bool]:
        """The answers of `covers`, by version. Thousands of tests ask of a few, and a range is slow to hash."""
        return {}

    def in_force(self, version: str, since: str | None = None) -> bool:
        """Whether it covers `version` and, if it has `upgrade_from`, metadata that release `since` created."""
        begun_so = self.upgrade_from is None or (since is not None and _within(since, self.upgrade_from))
        return begun_so and self.covers(version)

    def describes(self, finding: Finding) -> bool:
        """Whether the finding is the registered one. The same fault in an unregistered column is a new finding."""
        alike = self.deviation in (None, finding.deviation) and self.misfit in ("", finding.misfit)
        return alike and self.resembles(finding)

    def knows(self, finding: Finding, versions: Mapping[str, str]) -> bool:
        """Whether a finding, seen at these versions on a table that no block names, has the cause by its sign."""
        return (
            self.sign in finding.signs
            and finding.claim in self.claims
            and (finding.verdict, finding.blame) == (self.verdict, self.blame)
            and self.component in versions
            and self.in_force(versions[self.component])
        )

    def resembles(self, finding: Finding) -> bool:
        """Whether it is the registered one by what reports have of it, which is not how the claim breaks."""
        same = (finding.verdict, finding.blame) == (self.verdict, self.blame)
        return same and self._quotes(finding.saw) and self.names(finding.columns)

    def _quotes(self, saw: str) -> bool:
        return not self.saw or any(words in saw for words in self.saw)

    def names(self, columns: tuple[str, ...]) -> bool:
        """Whether a finding of this kind may name all of these columns."""
        return not self.columns or all(
            any(fnmatchcase(column, pattern) for pattern in self.columns) for column in columns
        )


@dataclass(frozen=True)
class Warm(Row):
    """At these releases only a JVM that has run other syncs shows the finding; `why` says what a fresh one does."""

    releases: Releases
    why: Text


@dataclass(frozen=True)
class Entry(Row):
    """One known finding: one cause."""

    id: Text
    title: Text
    """In a user's words."""
    cause: Text
    """Where and how the value goes wrong, as far as known."""
    common: Common
    searched: Day
    """Date of the last search for threads."""
    remedy: Text
    """What a user does today, or NONE_KNOWN."""
    where: tuple[Where, ...]
    condition: Text = ""
    """What leads to it, of an entry without `affects`; of others `condition_of` has it."""
    acts_on: ActsOn | None = None
    """What the remedy changes; None without one."""
    threads: tuple[Thread, ...] = ()
    """Empty if none is known."""
    proven_by: Texts = ()
    """Tables with the remedy applied, on which the entry's claims hold."""
    held_by: Texts = ()
    """Claims that hold on the entry's own tables, which they ask with the remedy applied."""
    recovers: Text = ""
    """What brings a table back once it is wrong; empty if nothing is known to."""
    recovers_by: Texts = ()
    """Tables on which it was done, and on which the entry's claims hold afterwards."""
    reproduce: Text = ""
    """The smallest table that shows it."""
    rules: Texts = ()
    """Names of further rules and documented limits (`xtable_audit.model.rules.QUOTED`)."""
    warm: Warm | None = None
    """Set if a fresh JVM does not show it at some releases."""
    formerly: Texts = ()
    """Ids of entries that have become part of this one."""
    read: ReadCode = UNREAD
    """What reading the sources shows of it."""
    affects: tuple[Affects, ...] = ()
    """Facts about a source table that lead to it; empty if none are known, or if it is not about XTable."""

    @property
    def with_sign(self) -> tuple[Where, ...]:
        """The blocks by whose sign it is known on tables that none of them names."""
        return tuple(one for one in self.where if one.sign is not None)

    def is_known_as(self, finding: Finding, versions: Mapping[str, str]) -> bool:
        """Whether a finding on a table that the entry does not name has this cause."""
        return finding.table not in self.subjects and any(one.knows(finding, versions) for one in self.with_sign)

    def at(
        self, claim: str, params: Mapping[str, Any], versions: Mapping[str, str], since: str | None = None
    ) -> Where | None:
        """The block in force for that claim at these versions (name to version), without intermittent ones.

        After an upgrade in place from `since`, a block with `upgrade_from` takes precedence.
        """
        held = [one for one in self._in_force(claim, params, versions, since) if not one.at_times]
        return min(held, key=lambda one: one.upgrade_from is None, default=None)

    def lasting(self, claim: str, table: str | None) -> tuple[Where, ...]:
        """The blocks that have the claim on that table, at any release, without intermittent ones."""
        return tuple(one for one in self.where if claim in one.claims and table in one.subjects and not one.at_times)

    def lapses(
        self, claim: str, params: Mapping[str, Any], versions: Mapping[str, str], since: str | None = None
    ) -> tuple[Where, ...]:
        """The intermittent blocks (`at_times`) in force for that claim."""
        return tuple(one for one in self._in_force(claim, params, versions, since) if one.at_times)

    def _in_force(
        self, claim: str, params: Mapping[str, Any], versions: Mapping[str, str], since: str | None
    ) -> list[Where]:
        return [
            one
            for one in self.where
            if one.concerns(claim, params)
            and one.component in versions
            and one.in_force(versions[one.component], since)
        ]

    @property
    def components(self) -> tuple[str, ...]:
        """Every component that it is a finding of, the one that the page is mostly about first."""
        return tuple(dict.fromkeys(one.component for one in self.where))

    def main_of(self, component: str) -> Main | None:
        return {"xtable": self.read.main, "hudi": self.read.hudi_main}.get(component)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Every table that the entry covers, each once."""
        return tuple(dict.fromkeys(subject for one in self.where for subject in one.subjects))

    @property
    def targets(self) -> frozenset[str]:
        """The formats of the metadata that it is found in."""
        return frozenset(target for one in self.where for target in one.targets)

    def is_tried(self, version: str) -> bool:
        """Whether it is known of that release of XTable if it has the finding."""
        return self.targets != {HUDI} or not is_numbered(version) or base_version(version) >= FIRST_TO_HUDI


@cache
def _within(version: str, range: SpecifierSet) -> bool:
    return is_numbered(version) and range.contains(base_version(version), prereleases=True)


def is_numbered(version: str) -> bool:
    return version[:1].isdigit()


def base_version(version: str) -> Version:
    """The PEP 440 version: 0.4.0 for `0.4.0-incubating-rc2`. Raises ValueError if the text starts with no number."""
    numbers = re.match(r"\d+(\.\d+)*", version)
    if numbers is None:
        raise ValueError(f"{version!r} does not start with a version number")
    return Version(numbers.group())


def overlap(one: SpecifierSet, other: SpecifierSet) -> bool:
    """Whether some version is in both ranges. Tests only the ends of the ranges and versions just above them."""
    ends = [re.sub(r"\.\*$", "", specifier.version) for ranges in (one, other) for specifier in ranges]
    beside = [Version(text) for end in ends for text in (end, f"{end}.0.1")]
    tried = [Version("0"), *beside]
    return any(v in one and v in other for v in tried)
