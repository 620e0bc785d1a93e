"""Holds whole runs against the outcomes that are frozen here, or freezes them anew.

    python -m tools frozen compare RUN …     exit 0: as frozen; 1: not, with the lines in question; 4: bad input
    python -m tools frozen write RUN …       freezes what the runs found

RUN is the audit.json of a run, the folder of a run or of a gate, or `check`: `xtable-audit check` of every recorded
table, which runs here, for half a minute.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.frozen.digests import FOLDER, NONE, Differences, Frozen
from tools.frozen.run import FrozenRun, read_runs
from xtable_audit.claims.every_claim import EVERY_CLAIM
from xtable_audit.claims.readers import answering, reading
from xtable_audit.model.figures import many
from xtable_audit.model.problem import Problem
from xtable_audit.report.document import UnreadableDocument

EXIT_BAD_INPUT = 4
MOST = 200
"""Lines that are printed of one run."""
OF_READERS = frozenset(
    id for id, one in EVERY_CLAIM.items() if one.check.__module__ in (answering.__name__, reading.__name__)
)
"""The claims that a run without readers leaves out."""


@dataclass(frozen=True)
class DifferencesPage:
    lines: tuple[str, ...]
    differs: bool


def page(
    run: FrozenRun, frozen: Frozen, before: FrozenRun | None, *, selected: bool, unasked: frozenset[str]
) -> DifferencesPage:
    """`before` is another run of the same name, whose lines show what exactly changed."""
    now = Frozen.of(run.lines, run.command)
    differences = Differences.between(frozen, now, selected=selected, unasked=unasked)
    head = f"{run.name}: {many(len(run.lines.lines), 'line')}, "
    if not differences:
        of = f", of {many(len(now.tables), 'table')} that it selects" if selected else ""
        return DifferencesPage((f"{head}as frozen{of}", *_intermittent(now)), False)
    return DifferencesPage((f"{head}not as frozen", *_names(differences), *_lines(run, before, differences)), True)


def _intermittent(of: Frozen) -> Iterator[str]:
    for words, number in of.intermittent.items():
        yield f"  {many(number, 'line')} may end in either way. {words}"


def _names(of: Differences) -> Iterator[str]:
    for what, tables, claims in (
        ("new", of.new_tables, of.new_claims),
        ("missing", of.missing_tables, of.missing_claims),
        ("changed", of.changed_tables, of.changed_claims),
    ):
        for kind, names in (("table", tables), ("claim", claims)):
            if names:
                yield f"  {what} {many(len(names), kind)}: {', '.join(sorted(names))}"


def _lines(run: FrozenRun, before: FrozenRun | None, differences: Differences) -> Iterator[str]:
    if before is None:
        found = [f"  ? {line.text}" for line in differences.crossed(run.lines.lines)]
        yield "  where changed tables and claims cross there is now (the exact lines: --before RUN):"
    else:
        tables = differences.new_tables | differences.missing_tables | differences.changed_tables
        then, now = (Counter(one.text for one in of.lines.lines if one.table in tables) for of in (before, run))
        gone = ((text, "-") for text in (then - now).elements())
        came = ((text, "+") for text in (now - then).elements())
        found = [f"  {sign} {text}" for text, sign in sorted([*gone, *came])]
        yield "  before (-) and now (+):"
    yield from found[:MOST]
    if len(found) > MOST:
        yield f"  and {many(len(found) - MOST, 'more line')}"


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
    parser.add_argument(
        "--without-readers", action="store_true", help="the runs ask no reader (--readers=none): compare all else"
    )
    parser.add_argument("--frozen", type=Path, default=FOLDER, metavar="DIR", help="the folder of frozen outcomes")
    return parser.parse_args(arguments)


def _write(named: Sequence[str], folder: Path) -> int:
    for run in read_runs(named):
        Frozen.of(run.lines, run.command).save(folder / f"{run.name}.json")
        print(f"{run.name}: {len(run.lines.lines):,} lines frozen")
    return 0


def _compare(run: FrozenRun, before: FrozenRun | None, given: argparse.Namespace) -> int:
    frozen = Frozen.load(given.frozen / f"{run.name}.json")
    unasked = OF_READERS if given.without_readers else NONE
    comparison = page(run, frozen, before, selected=given.selected, unasked=unasked)
    print("\n".join(comparison.lines))
    return int(comparison.differs)


if __name__ == "__main__":
    sys.exit(main())
