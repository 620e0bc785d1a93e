"""Is an upgrade safe? `python -m tools gate 0.3.0-incubating 0.4.0-incubating [pytest's options]`; TO may be a jar.

Exit 0: nothing new; 1: new findings, or registered ones that are gone; 6: something could not run; 4: bad input.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from lab.provision.progress import Progress, left_of
from lab.stack.cache import write_atomically
from lab.stack.jars import Unresolvable
from tools.gate.runs import PYTEST, Readers, choose_readers, folder_of, run_audit
from tools.gate.upgrade import FROM_LIVE, Recorded, Upgrade, put_together, read_upgrade
from xtable_audit.model.outcome import EXIT_INCONCLUSIVE
from xtable_audit.model.problem import Problem
from xtable_audit.report.gate import Gate, GateRun, judge_upgrade
from xtable_audit.report.gate_page import markdown, page, summary
from xtable_audit.report.html.installed import GATE_NAME, gate_page
from xtable_audit.report.summary import NAME as SUMMARY_NAME

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
