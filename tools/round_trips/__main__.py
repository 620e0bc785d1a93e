"""What is lost where XTable translates a table to Iceberg, and that to Delta: `python -m tools round_trips`, 3 minutes.

Both syncs run live after each stage of a recorded table. The Delta table is then held against the files and rows of the
first source, by the claims of `xtable-audit check`, and so is the Iceberg table between. `--tables NAME,…` takes these
tables alone, of Hudi or of Delta, and prints what is found; without it, docs/round-trips.md is written anew.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from lab.stack.project import ROOT
from lab.stack.versions import release, releases
from tools.round_trips.faults import PAGE, Lost, When, lost, written
from tools.round_trips.trip import TABLES, datasets_of, named, opened
from xtable.writer import KERNEL
from xtable_audit.model.problem import Problem


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools round_trips", description=__doc__)
    parser.add_argument("--tables", metavar="NAME,…")
    parser.add_argument("--xtable", metavar="RELEASE", default=str(releases()[0]))
    wanted = parser.parse_args(arguments)
    try:
        tables, by = named(wanted.tables) if wanted.tables else TABLES, release(wanted.xtable).version
        KERNEL.demand(by)
        found = []
        for one in going_round(tables, by):
            print("\n".join(in_words(one)), flush=True)
            found.append(one)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 2
    if not wanted.tables:
        written(found)
        print(f"{PAGE.relative_to(ROOT)} is written")
    return 0


def going_round(tables: Sequence[str], by: str) -> Iterator[Lost]:
    """Raises Problem if the release does not resolve, or a table is not recorded."""
    with tempfile.TemporaryDirectory(prefix="xtable-audit-round-trips-") as folder:
        work = Path(folder)
        datasets = [*datasets_of(tables, work / "spark")]
        with opened(by, work) as trips:
            for dataset in datasets:
                with trips.of(dataset, work / "between" / dataset.recipe.name) as legs:
                    yield lost(legs)


def in_words(one: Lost) -> Iterator[str]:
    """Lines for a terminal."""
    if not one.first and not one.second:
        yield f"{one.table}: nothing is lost"
        return
    yield f"{one.table}:"
    for when in When:
        for fault in one.of(when):
            directly = when is When.SECOND and one.direct is not None and fault.claim in one.direct
            yield f"  {fault.verdict}, {when}{', and so directly' if directly else ''}: {fault.claim}: {fault.words}"


if __name__ == "__main__":
    sys.exit(main())
