"""Draws histories of a Hudi table, has XTable translate each, and shrinks the first that fails.

Exit 0: every claim holds on every history; 1: one fails, and the shortest that fails is printed; 6: a part that it
needs is not available here; 4: bad input.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from lab.provision.checked_register import unknown_release
from lab.stack.jars import Unresolvable, check_resolvable
from lab.stack.versions import Release, release, releases
from spark_jobs.battery.moves import in_words
from tools.hunt import judged_history
from tools.hunt.draw import KINDS, SOUND, History, Hunt, histories
from xtable_audit.model.finding import Finding, worst
from xtable_audit.model.outcome import EXIT_INCONCLUSIVE
from xtable_audit.model.problem import Problem

EXIT_FOUND, EXIT_BAD_INPUT = 1, 4


def main(arguments: Sequence[str] | None = None) -> int:
    wanted = parse(arguments)
    try:
        audited = release(wanted.xtable) if wanted.xtable else releases()[0]
        check_resolvable(audited)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return EXIT_INCONCLUSIVE if isinstance(problem, Unresolvable) else EXIT_BAD_INPUT
    folder = Path(tempfile.mkdtemp(prefix="xtable-audit-hunt-"))
    try:
        hunt = run(audited, folder, wanted)
    except Problem as problem:
        print(f"{problem}\nNothing is proven. The logs are kept in {folder}.", file=sys.stderr)
        return EXIT_INCONCLUSIVE
    shutil.rmtree(folder)
    return report(hunt, audited)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools hunt", description=__doc__)
    parser.add_argument("--xtable", metavar="RELEASE", help="the release to hunt in (default: the newest)")
    parser.add_argument(
        "--histories", type=_positive, default=20, metavar="N", help="most histories (default: %(default)s)"
    )
    parser.add_argument(
        "--moves", type=_positive, default=5, metavar="N", help="most moves in one (default: %(default)s)"
    )
    parser.add_argument(
        "--shrinks", type=_positive, default=40, metavar="N", help="most shrinking trials (default: %(default)s)"
    )
    parser.add_argument(
        "--among",
        nargs="+",
        choices=KINDS,
        default=SOUND,
        metavar="MOVE",
        help=f"what may happen: {', '.join(KINDS)} (default: those without a known finding, {', '.join(SOUND)})",
    )
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of 1 or more")
    return number


def run(audited: Release, folder: Path, wanted: argparse.Namespace) -> Hunt:
    """Hunts, and prints a line a history. Raises Problem if a part is not available or Spark cannot write a history."""
    print(f"Hunting in XTable {audited.version}: at most {wanted.histories} histories of {wanted.moves} moves.")
    if warning := unknown_release(audited.version):
        print(warning)
    with judged_history.opened(audited, folder) as session:

        def tried(moves: History) -> Sequence[Finding]:
            started = time.monotonic()
            found = session.try_history(moves)
            verdict = worst([one.verdict for one in found]).name if found else "holds"
            print(f" {time.monotonic() - started:5.1f} s  {verdict:<15} {in_words(moves)}", flush=True)
            return found

        hunt = Hunt(tried, wanted.histories, wanted.shrinks)
        hunt.on(histories(wanted.among, wanted.moves))
    return hunt


def report(hunt: Hunt, audited: Release) -> int:
    """Prints the result; returns the exit code."""
    if hunt.failing is None:
        print(f"{len(hunt.tried)} histories tried: every claim holds on each of them.")
        return 0
    found = hunt.tried[hunt.failing]
    print(f"\n{len(hunt.tried)} histories tried. The shortest that fails on XTable {audited.version}:\n")
    print(f"  three rows in a, two in b; {in_words(hunt.failing)}\n")
    for one in found:
        print(f"  {one.verdict.name:<15} fails: {one.sentence}")
        print(f"{'':18}saw       {one.saw}\n{'':18}expected  {one.expected}")
    print("\nTo keep it, add to `spark_jobs/battery/drawn.py`:\n")
    print(f"    kept({', '.join(map(repr, hunt.failing))}),")
    return EXIT_FOUND


if __name__ == "__main__":
    sys.exit(main())
