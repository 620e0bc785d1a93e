"""The release of XTable that is asked about: one that the register covers, or XTable's main."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from xtable_audit.formats.source import FactAnswer
from xtable_audit.model.finding import Verdict, worst
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import ICEBERG
from xtable_audit.register.affects import KERNEL, SPARK, Affects
from xtable_audit.register.entry import Entry, Where, base_version, is_numbered
from xtable_audit.register.register import covers

MAIN = "main"
XTABLE = "xtable"
FIRST_KERNEL = Version("0.4")
"""The first release with Delta Kernel. Those before write Delta by Delta Standalone."""
FIRST_TO_READ = {"parquet": Version("0.4"), "paimon": Version("0.4")}
"""The first release with a source of that format, of those that not every release has."""
OF_FAILING_SYNCS = frozenset({"every_sync_comes_through", "metadata_and_data_files_can_be_read"})
"""Claims that fail where a sync does, or leaves no table."""


@dataclass(frozen=True)
class XTableRelease:
    """A release that the register covers, or `main`, which is above all of them; and what it writes."""

    version: Version
    name: str
    like: Version | None = None
    """The newest release, which tells what findings do in main."""
    target: str = ICEBERG
    """The format that it writes."""
    reader: str = SPARK
    """What of it reads Delta tables."""

    @property
    def is_main(self) -> bool:
        return self.name == MAIN

    def to(self, target: str, reader: str = SPARK) -> XTableRelease:
        """It, writing that format, and reading Delta tables by that reader."""
        return replace(self, target=target, reader=reader)

    def within(self, range: SpecifierSet | None) -> bool:
        return range is None or range.contains(self.version)

    def is_meant(self, block: Affects) -> bool:
        has_writer = block.writer != KERNEL or self.version >= FIRST_KERNEL
        reads_so = block.reader in ("", self.reader)
        return has_writer and reads_so and self.within(block.releases) and block.concerns(self.target)

    def has(self, entry: Entry, since: XTableRelease | None = None) -> FactAnswer:
        """Whether it has the finding: by the register's blocks, or by what was read and run of main."""
        in_force = FactAnswer.YES if self.verdicts(entry, since) else FactAnswer.NO
        return min(in_force, _on_main(entry)) if self.is_main else in_force

    def verdicts(self, entry: Entry, since: XTableRelease | None = None) -> list[Verdict]:
        """What the finding does in this release, on any table; in main, what it does in the newest release."""
        return [one.verdict for one in self._in_force(entry, since)]

    def fails_every_sync(self, entry: Entry, since: XTableRelease | None = None) -> bool:
        """Whether all that the finding does in this release is that no sync comes through, or none leaves a table."""
        found = self._in_force(entry, since)
        return bool(found) and all(
            one.verdict is Verdict.UNREADABLE and set(one.claims) <= OF_FAILING_SYNCS for one in found
        )

    def _in_force(self, entry: Entry, since: XTableRelease | None) -> list[Where]:
        began, version = str(since.version) if since else None, str(self.like or self.version)
        return [
            one
            for one in entry.where
            if one.component == XTABLE and self.target in one.targets and one.in_force(version, began)
        ]

    def worst(self, entry: Entry, since: XTableRelease | None = None) -> Verdict:
        return worst(self.verdicts(entry, since))


def reads(release: XTableRelease, format: str) -> bool:
    """Whether the release has a source of that format."""
    return release.version >= FIRST_TO_READ.get(format, release.version)


def _on_main(entry: Entry) -> FactAnswer:
    if entry.read.main is None:
        return FactAnswer.NO
    return {True: FactAnswer.YES, False: FactAnswer.NO, None: FactAnswer.OPEN}[entry.read.main.has_it]


def covered(register: Path) -> tuple[XTableRelease, ...]:
    """The releases that the register covers, oldest first."""
    return tuple(XTableRelease(Version(one.version), one.version) for one in covers(register)[XTABLE])


def release_of(text: str, known: Iterable[XTableRelease]) -> XTableRelease:
    """`0.4`, `0.4.0-incubating` or `main`. Raises Problem for a release that the register does not cover."""
    every = list(known)
    if text == MAIN:
        newest = max(every, key=lambda one: one.version).version
        return XTableRelease(Version(f"{newest.major}.{newest.minor + 1}"), MAIN, newest)
    for one in every:
        if is_numbered(text) and base_version(text) == one.version:
            return one
    names = ", ".join(one.name for one in every)
    raise Problem(f"the register of known findings does not cover XTable {text}; it covers {names} and {MAIN}")
