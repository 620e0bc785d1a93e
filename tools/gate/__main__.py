"""Is an upgrade safe? `python -m tools gate 0.3.0-incubating 0.4.0-incubating [pytest's options]`; TO may be a jar."""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from lab.engines.readers import ADAPTERS, embedded, readers_of
from lab.engines.spark.open import find_spark
from lab.provision.progress import Progress, left_of
from lab.stack.cache import Cache, write_atomically
from lab.stack.jars import Unresolvable
from lab.stack.project import ROOT
from tools.gate.upgrade import FROM_LIVE, Recorded, Upgrade, put_together, read_upgrade
from xtable_audit.formats.installed import DEFAULT
from xtable_audit.model.outcome import EXIT_INCONCLUSIVE
from xtable_audit.model.problem import Problem
from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.gate import Gate, GateRun, judge_upgrade
from xtable_audit.report.gate_page import markdown, page, summary
from xtable_audit.report.html import GATE_NAME, gate_page
from xtable_audit.report.summary import NAME as SUMMARY_NAME

PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
OPTION = "--readers"
SPARK = "pyspark"
"""The distribution of the readers that run in Spark."""


@dataclass(frozen=True)
class Readers:
    arguments: tuple[str, ...]
    """Pytest's option; empty if the user gave one."""
    not_asked: tuple[str, ...] = ()
    """Why one that a gate asks by itself cannot start, a sentence each."""


def choose_readers(arguments: Sequence[str], target: str = DEFAULT) -> Readers:
    """Those of a gate that names none: what comes by pip, and Spark where it can start. May download Spark's jars.

    Some faults show on the JVM alone: with wrong split offsets Spark returns no row where all others return every one.
    Spark is asked on the tables that have it as a reader, 120 claims in two minutes a run.
    """
    if any(argument.partition("=")[0] == OPTION for argument in arguments):
        return Readers(())
    try:
        find_spark(Cache())
    except Problem as problem:
        return Readers(_option(embedded(target)), (f"Spark is not asked: {str(problem).rstrip('.')}.",))
    return Readers(_option((*embedded(target), *_in_spark(target))))


def _in_spark(target: str) -> list[str]:
    return [name for name in readers_of(target) if ADAPTERS[name].distribution == SPARK]


def _option(names: Sequence[str]) -> tuple[str, ...]:
    return (f"{OPTION}={','.join(names)}",)


def run_audit(
    name: str, release: str, options: Sequence[str], folder: Path, *, upgrade_from: str | None, command: Sequence[str]
) -> GateRun:
    """Runs the audit into `folder`/`name` (an absolute folder) and returns its outcome; it never raises for that.

    The audit ends with this process, even after `kill -9`.
    """
    out = folder_of(name, folder)
    out.mkdir(parents=True)
    log = out / "run.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "lab.servers.ends_with_parent", "--", *command, f"--out={out}", *options],
            cwd=ROOT,
            stdin=subprocess.PIPE,  # held open as long as the audit may run
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            status = process.wait()
        finally:
            process.communicate()
    report = out / "latest" / "audit.json"
    if not report.is_file():
        return GateRun(name, release, None, _last_words(log, status), upgrade_from=upgrade_from)
    try:
        document = Document.load(report)
    except UnreadableDocument as error:
        return GateRun(name, release, None, str(error).rstrip("."), upgrade_from=upgrade_from)
    return GateRun(name, release, document, "", report.relative_to(folder).as_posix(), upgrade_from)


def folder_of(name: str, folder: Path) -> Path:
    """Where the run of that name has its reports."""
    return folder / name.replace(" ", "-")


def _last_words(log: Path, status: int) -> str:
    """pytest's last ERROR line, else the last line of its output."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    last = (errors or lines or ["it printed nothing"])[-1]
    return f"{last.rstrip('.')} (exit {status}, {log.parent.name}/{log.name})"


EXIT_BAD_INPUT = 4
"""As pytest's for a usage error."""


def main(arguments: Sequence[str] | None = None, command: Sequence[str] = PYTEST) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools gate", description=__doc__)
    parser.add_argument("--gate-out", type=Path, default=Path("out"), metavar="DIR", help="folder of the reports")
    parser.add_argument(FROM_LIVE, action="store_true", help="sync FROM too, also what is recorded of it")
    parser.add_argument("before", metavar="FROM", help="the release in use")
    parser.add_argument("to", metavar="TO", help="the release, or the bundled jar, to be let in")
    more = "pytest's options, for each run; --target delta audits what XTable writes as Delta"
    parser.add_argument("options", nargs=argparse.REMAINDER, metavar="…", help=more)
    given = parser.parse_args(arguments)
    try:
        upgrade = read_upgrade(given.before, given.to, [*given.options, *([FROM_LIVE] if given.from_live else [])])
        with timed("jars", f"{upgrade.begun_with}, {upgrade.called}"):
            put_together(upgrade)
            readers = choose_readers(upgrade.arguments, upgrade.target)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return EXIT_INCONCLUSIVE if isinstance(problem, (Recorded, Unresolvable)) else EXIT_BAD_INPUT
    name = f"gate-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    folder = (given.gate_out / name).absolute()
    gate = run_gate(replace(upgrade, arguments=(*upgrade.arguments, *readers.arguments)), folder, command, readers)
    write_atomically(folder / "gate.json", gate.to_json().encode())
    write_atomically(folder / "gate.md", markdown(gate).encode())
    write_atomically(folder / SUMMARY_NAME, summary(gate).encode())
    drawn = gate_page(gate)
    if drawn is not None:
        write_atomically(folder / GATE_NAME, drawn.encode())
    print("\n" + page(gate))
    shown = "gate.md" if drawn is None else f"{GATE_NAME}, gate.md"
    print(f" report   {given.gate_out / name}: {shown}, gate.json; a run's own beside them")
    return gate.exit_status


def run_gate(upgrade: Upgrade, folder: Path, command: Sequence[str], readers: Readers) -> Gate:
    """Audits FROM, TO, and the upgrade in place, one after the other, so that each run has the whole machine.

    An unfit run ends the gate: nothing can be compared with it.
    """
    before = _audit(upgrade, "from", upgrade.begun_with, upgrade.options_from, folder, command)
    if before.document is not None:
        before = replace(before, document=upgrade.as_to_names(before.document))
    after = _audit(upgrade, "to", upgrade.called, upgrade.options_to, folder, command, stopped=before)
    in_place = _audit(upgrade, "in place", upgrade.called, upgrade.options_in_place, folder, command, stopped=after)
    return judge_upgrade(before, after, in_place, upgrade.notes, readers.not_asked, upgrade.target)


def _audit(
    upgrade: Upgrade,
    name: str,
    release: str,
    options: Sequence[str],
    folder: Path,
    command: Sequence[str],
    stopped: GateRun | None = None,
) -> GateRun:
    first = upgrade.before.version if name == "in place" else None
    if stopped is not None and stopped.unfit:
        return GateRun(name, release, None, f"not started, because of {stopped.name}", upgrade_from=first)
    with timed(name, release, folder_of(name, folder)):
        return run_audit(name, release, [*options, *upgrade.arguments], folder, upgrade_from=first, command=command)


@contextmanager
def timed(name: str, of: str, out: Path | None = None) -> Iterator[None]:
    """Shows what is being done and what is left of it, and at the end how long it took."""
    what = f"{name:<9} {of}"
    progress = Progress(Console(highlight=False))
    progress.left = lambda: " · ".join(filter(None, [what, left_of(out) if out else ""]))
    progress.begin()
    started = time.monotonic()
    try:
        yield
    finally:
        progress.end()
        print(f" {what}  {time.monotonic() - started:.1f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
