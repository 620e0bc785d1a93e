"""The gate's arguments, checked before anything runs: an upgrade of releases, or from one way of working to another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from lab.provision.plan import AFTER_SPARK
from lab.provision.targets import AFTER_STANDALONE
from lab.stack.jars import check_resolvable, resolve_xtable_jars
from lab.stack.versions import Release, release, releases
from xtable.bundled import check_bundle
from xtable.settings import UTC, check_zone, words_of
from xtable.writer import ICEBERG, ICEBERG_BY_KERNEL, KERNEL, STANDALONE, TARGETS
from xtable_audit.formats.installed import DEFAULT
from xtable_audit.model.problem import Problem
from xtable_audit.register.entry import base_version, is_numbered
from xtable_audit.report.document import Document

WRITER = "--delta-target-by"
READER = "--delta-source-by"


@dataclass(frozen=True)
class Ways:
    """What differs between the runs of such a gate: one of pytest's options."""

    option: str
    values: tuple[str, str, str]
    """What FROM, TO and the upgrade in place are given; the last also asks for such a gate."""
    words: tuple[str, str]
    """What FROM and TO are called by, beside their releases."""
    note: str
    no_jar: str
    """Why TO may not be a jar."""
    target: str = ""
    """The one target that it is about."""
    ids: tuple[str, ...] = ()
    """The ends of the ids of FROM's tables and of TO's, where they differ."""


TO_KERNEL = Ways(
    WRITER,
    ("standalone", "kernel", AFTER_STANDALONE),
    ("by Delta Standalone", "by Delta Kernel"),
    "FROM writes Delta by Delta Standalone and TO by Delta Kernel; in place, Kernel goes on over the log that "
    "Standalone began. FROM's tables have the ids of TO's here, so that each is compared with its own.",
    KERNEL.by_no_command_line,
    KERNEL.target,
    (STANDALONE.id, KERNEL.id),
)
FROM_KERNEL = Ways(
    READER,
    ("spark", "kernel", AFTER_SPARK),
    ("reading Delta by Spark", "reading Delta by Kernel"),
    "FROM reads Delta tables by Spark and TO by Delta Kernel; in place, Kernel goes on where Spark began. Tables of "
    "other formats are left out. FROM's tables have the ids of TO's here, so that each is compared with its own.",
    ICEBERG_BY_KERNEL.by_no_command_line,
    ids=(ICEBERG.id, ICEBERG_BY_KERNEL.id),
)
WAYS = (TO_KERNEL, FROM_KERNEL)

OWN = ("--xtable", "--xtable-jar", "--upgrade-from", "--translations", "--out")
FROM_LIVE = "--from-live"
"""The gate's own option: FROM syncs every table, also where its translation is recorded."""
RECORDED = "--recorded"
TARGET, STANDALONE_TABLES = "--target", "--standalone-tables"
BY_COMMAND_LINE = "TO runs through its command line, which has no full sync, so neither run makes one."


class Recorded(Problem):
    """The arguments ask for recordings, which answer no gate."""


@dataclass(frozen=True)
class Upgrade:
    """An upgrade. `to` is a release, or the version or name of the jar."""

    before: Release
    to: str
    jar: Path | None
    arguments: tuple[str, ...]
    """Further pytest options, the same for each run."""
    from_live: bool = False
    """Whether FROM takes no translation from a recording."""
    target: str = DEFAULT
    """The format that XTable writes."""
    ways: Ways | None = None
    """How FROM and TO differ beside their releases."""

    @property
    def begun_with(self) -> str:
        """FROM, distinguishable from TO of the same release."""
        return f"{self.before.version} {self.ways.words[0]}" if self.ways else self.before.version

    @property
    def called(self) -> str:
        """TO, distinguishable from a release of the same number."""
        if self.ways:
            return f"{self.to} {self.ways.words[1]}"
        return f"{self.to} ({self.jar.name})" if self.jar and self.jar.name != self.to else self.to

    @property
    def options_from(self) -> list[str]:
        by_jar, recorded = ["--incremental-only"] if self.jar else [], ["--translations=recorded"]
        release = f"--xtable={self.before.version}"
        return [release, *([] if self.from_live else recorded), *by_jar, *self._way(0)]

    @property
    def options_to(self) -> list[str]:
        return [*self._audits_to, *self._way(1)]

    @property
    def options_in_place(self) -> list[str]:
        return [*self._audits_to, f"--upgrade-from={self.before.version}", *self._way(2)]

    @property
    def _audits_to(self) -> list[str]:
        return [f"--xtable-jar={self.jar.absolute()}" if self.jar else f"--xtable={self.to}"]

    def _way(self, run: int) -> list[str]:
        return [f"{self.ways.option}={self.ways.values[run]}"] if self.ways else []

    def as_to_names(self, document: Document) -> Document:
        """FROM's document, its tables by the ids of TO's."""
        if self.ways is None or not self.ways.ids:
            return document
        ours, theirs = self.ways.ids
        tables = {claim.table for claim in document.claims if claim.table and claim.table.endswith(f"-{ours}")}
        if not tables:
            return document
        named = re.compile(rf"\b({'|'.join(table.removesuffix(ours) for table in sorted(tables))}){ours}\b")
        return Document.from_json(named.sub(rf"\g<1>{theirs}", document.to_json()))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the page must know about the runs, and about TO."""
        of_runs = (BY_COMMAND_LINE if self.jar else "", self.ways.note if self.ways else "")
        by = tuple(filter(None, (*of_runs, words_of(_zone(self.arguments)))))
        if is_numbered(self.to) and str(base_version(self.to)) in {one.short for one in releases()}:
            return by
        return (
            *by,
            f"The register has no entries for XTable {self.to}: it is judged by the claims alone, and against FROM.",
        )


def read_upgrade(before: str, to: str, arguments: Sequence[str] = ()) -> Upgrade:
    """The upgrade from a release to another, or to a bundled jar by its path. Raises Problem for bad input."""
    from_live, arguments = FROM_LIVE in arguments, [one for one in arguments if one != FROM_LIVE]
    for argument in arguments:
        if argument.partition("=")[0] == RECORDED:
            raise Recorded(f"ARGS holds {RECORDED}: a recorded run never answers a gate. Leave it out.")
        if argument.partition("=")[0] in OWN:
            raise Problem(f"ARGS holds {argument}: the gate sets it itself, from FROM and TO. Leave it out.")
    check_zone(_zone(arguments))
    if before.endswith(".jar"):
        raise Problem(f"FROM={before}: name a release to upgrade from; only TO may be a jar.")
    old = _release("FROM", before)
    if to.endswith(".jar"):
        jar = Path(to)
        try:
            called = check_bundle(jar)
        except Problem as problem:
            raise Problem(f"TO={to}: {str(problem).removeprefix('--xtable-jar: ')}") from problem
    else:
        jar, called = None, _release("TO", to).version
    ways = next((one for one in WAYS if _value(arguments, one.option, "") == one.values[2]), None)
    if jar is None and called == old.version and ways is None:
        raise Problem(f"FROM and TO are both {called}: name the release you have, and the one you want.")
    numbered = is_numbered(called) and is_numbered(old.version)
    if numbered and base_version(called) < base_version(old.version):
        raise Problem(f"TO={called} is older than FROM={old.version}: the gate answers upgrades. Swap them.")
    target = _value(arguments, TARGET, DEFAULT)
    if target not in TARGETS:
        raise Problem(f"ARGS holds {TARGET} {target}: a gate answers for one target, {' or '.join(TARGETS)}.")
    if ways:
        _demand(ways, target, called, jar)
        arguments = _without(arguments, ways.option)
    further: Sequence[str] = ()
    if ways is TO_KERNEL:
        further = _every_table(arguments)
    elif target == KERNEL.target:
        further = _writer(arguments, old, called, jar)
    return Upgrade(old, called, jar, (*arguments, *further), from_live, target, ways)


def _writer(arguments: Sequence[str], old: Release, to: str, jar: Path | None) -> tuple[str, ...]:
    """The option that gives each run the same writer, where the user names none: tables are compared by their ids.

    Raises Problem for a writer that FROM or TO does not have, and for two.
    """
    named = _value(arguments, WRITER, "auto")
    if named not in ("auto", "standalone", "kernel"):
        raise Problem(
            f"ARGS holds {WRITER} {named}: a gate compares the tables of one writer, standalone or kernel, or, by "
            f"{TO_KERNEL.values[2]}, those of the one with those of the other."
        )
    if named == "kernel":
        if jar is not None:
            raise Problem(f"TO={jar}: {KERNEL.by_no_command_line}")
        for version in (old.version, to):
            KERNEL.demand(version)
    has_kernel = jar is None and old.delta_kernel and release(to).delta_kernel
    return () if named != "auto" else (f"{WRITER}={'kernel' if has_kernel else 'standalone'}",)


def _demand(ways: Ways, target: str, to: str, jar: Path | None) -> None:
    """Raises Problem where TO has no Delta Kernel, or the gate is of another target."""
    if ways.target and target != ways.target:
        raise Problem(f"ARGS holds {ways.option} {ways.values[2]}: that is of Delta, add {TARGET} {ways.target}.")
    if jar is not None:
        raise Problem(f"TO={jar}: {ways.no_jar}")
    if not release(to).delta_kernel:
        raise Problem(f"XTable {to} has no Delta Kernel; 0.4.0 is the first that does.")


def _every_table(arguments: Sequence[str]) -> list[str]:
    """Has Standalone translate every table, as Kernel does: a table is compared if both runs have it."""
    tables = _value(arguments, STANDALONE_TABLES, "")
    if tables not in ("", "all"):
        raise Problem(f"ARGS holds {STANDALONE_TABLES}: this gate compares all tables, or those of -k. Leave it out.")
    return [] if tables else [f"{STANDALONE_TABLES}=all"]


def put_together(upgrade: Upgrade) -> None:
    """Resolves both releases and downloads their jars, TO first. Raises Unresolvable if one cannot be put together.

    Call it before anything is built: a gate must not run FROM for an hour, and then find no TO.
    """
    wanted = [*([] if upgrade.jar else [release(upgrade.to)]), upgrade.before]
    for one in wanted:
        check_resolvable(one)
    for one in wanted:
        resolve_xtable_jars(one)


def _zone(arguments: Sequence[str]) -> str:
    return _value(arguments, "--zone", UTC)


def _value(arguments: Sequence[str], named: str, default: str) -> str:
    """The value of an option among pytest's, in either of its forms."""
    found = default
    for argument, following in pairwise([*arguments, ""]):
        option, assigned, value = argument.partition("=")
        if option == named:
            found = value if assigned else following
    return found


def _without(arguments: Sequence[str], named: str) -> list[str]:
    """The arguments but for an option, in either of its forms, and its value."""
    left, skip = [], False
    for argument in arguments:
        option, assigned, _ = argument.partition("=")
        if not (skip or option == named):
            left.append(argument)
        skip = option == named and not assigned
    return left


def _release(word: str, version: str) -> Release:
    if not version:
        raise Problem(f"{word} is missing: make gate FROM=0.3.0-incubating TO=0.4.0-incubating.")
    try:
        return release(version)
    except Problem as problem:
        raise Problem(f"{word}={version}: {problem}") from problem
