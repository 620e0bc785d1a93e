"""The gate's arguments, checked before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from lab.stack.jars import check_resolvable, resolve_xtable_jars
from lab.stack.versions import Release, release, releases
from xtable.bundled import check_bundle
from xtable.writer import KERNEL, TARGETS
from xtable.zone import UTC, check_zone, words_of
from xtable_audit.formats.registered import DEFAULT
from xtable_audit.model.problem import Problem
from xtable_audit.register.entry import base_version, is_numbered

OWN = ("--xtable", "--xtable-jar", "--upgrade-from", "--translations", "--out")
FROM_LIVE = "--from-live"
"""The gate's own option: FROM syncs every table, also where its translation is recorded."""
RECORDED = "--recorded"
TARGET, WRITER = "--target", "--delta-target-by"
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

    @property
    def called(self) -> str:
        """TO, distinguishable from a release of the same number."""
        return f"{self.to} ({self.jar.name})" if self.jar and self.jar.name != self.to else self.to

    @property
    def options_from(self) -> list[str]:
        by_jar, recorded = ["--incremental-only"] if self.jar else [], ["--translations=recorded"]
        return [f"--xtable={self.before.version}", *([] if self.from_live else recorded), *by_jar]

    @property
    def options_to(self) -> list[str]:
        return [f"--xtable-jar={self.jar.absolute()}" if self.jar else f"--xtable={self.to}"]

    @property
    def options_in_place(self) -> list[str]:
        return [*self.options_to, f"--upgrade-from={self.before.version}"]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the page must know about the runs, and about TO."""
        by = tuple(filter(None, (BY_COMMAND_LINE if self.jar else "", words_of(_zone(self.arguments)))))
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
    if jar is None and called == old.version:
        raise Problem(f"FROM and TO are both {called}: name the release you have, and the one you want.")
    numbered = is_numbered(called) and is_numbered(old.version)
    if numbered and base_version(called) < base_version(old.version):
        raise Problem(f"TO={called} is older than FROM={old.version}: the gate answers upgrades. Swap them.")
    target = _value(arguments, TARGET, DEFAULT)
    if target not in TARGETS:
        raise Problem(f"ARGS holds {TARGET} {target}: a gate answers for one target, {' or '.join(TARGETS)}.")
    writer = _writer(arguments, old, called, jar) if target == KERNEL.target else ()
    return Upgrade(old, called, jar, (*arguments, *writer), from_live, target)


def _writer(arguments: Sequence[str], old: Release, to: str, jar: Path | None) -> tuple[str, ...]:
    """The option that gives each run the same writer, where the user names none: tables are compared by their ids.

    Raises Problem for a writer that FROM or TO does not have, and for two.
    """
    named = _value(arguments, WRITER, "auto")
    if named not in ("auto", "standalone", "kernel"):
        raise Problem(f"ARGS holds {WRITER} {named}: a gate compares the tables of one writer, standalone or kernel.")
    if named == "kernel":
        if jar is not None:
            raise Problem(f"TO={jar}: {KERNEL.by_no_command_line}")
        for version in (old.version, to):
            KERNEL.demand(version)
    has_kernel = jar is None and old.delta_kernel and release(to).delta_kernel
    return () if named != "auto" else (f"{WRITER}={'kernel' if has_kernel else 'standalone'}",)


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


def _release(word: str, version: str) -> Release:
    if not version:
        raise Problem(f"{word} is missing: make gate FROM=0.3.0-incubating TO=0.4.0-incubating.")
    try:
        return release(version)
    except Problem as problem:
        raise Problem(f"{word}={version}: {problem}") from problem
