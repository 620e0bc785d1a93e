"""Holds whole runs against the outcomes that are frozen here, or freezes them anew.

    python -m tools frozen compare RUN …     exit 0: as frozen; 1: not, with the lines in question; 4: bad input
    python -m tools frozen write RUN …       freezes what the runs found

RUN is the audit.json of a run, the folder of a run or of a gate, or `check`: `xtable-audit check` of every recorded
table, which runs here, for half a minute.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.frozen.differences import page
from tools.frozen.digests import FOLDER, Frozen
from tools.frozen.run import FrozenRun, read_runs
from xtable_audit.model.problem import Problem
from xtable_audit.report.document import UnreadableDocument

EXIT_BAD_INPUT = 4


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parse(arguments)
    try:
        if given.do == "write":
            return _write(given.runs, given.frozen)
        before = {run.name: run for run in read_runs(given.before)}
        return max(_compare(run, before.get(run.name), given) for run in read_runs(given.runs))
    except (Problem, UnreadableDocument) as error:
        print(error, file=sys.stderr)
        return EXIT_BAD_INPUT


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m tools frozen", description=__doc__, formatter_class=formatter)
    parser.add_argument("do", choices=["compare", "write"])
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument(
        "--before", action="append", default=[], metavar="RUN", help="a run that was as frozen, for the exact lines"
    )
    parser.add_argument("--selected", action="store_true", help="the runs select tables (-k): compare these alone")
    parser.add_argument("--frozen", type=Path, default=FOLDER, metavar="DIR", help="the folder of frozen outcomes")
    return parser.parse_args(arguments)


def _write(named: Sequence[str], folder: Path) -> int:
    for run in read_runs(named):
        Frozen.of(run.lines, run.command).save(folder / f"{run.name}.json")
        print(f"{run.name}: {len(run.lines.lines):,} lines frozen")
    return 0


def _compare(run: FrozenRun, before: FrozenRun | None, given: argparse.Namespace) -> int:
    frozen = Frozen.load(given.frozen / f"{run.name}.json")
    comparison = page(run, frozen, before, selected=given.selected)
    print("\n".join(comparison.lines))
    return int(comparison.differs)


if __name__ == "__main__":
    sys.exit(main())
