"""Which errors would the recorded tables catch? Makes errors of a translator in their metadata, one at a time, in each
kind of place, and has the claims judge: `python -m tools power`, two minutes.

Without options it prints the counts and the holes. `--page` writes them into docs/edges.md. `--tables NAME,…` takes
these tables alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lab.provision.plan import SMALL_TABLES
from lab.stack.project import ROOT
from tools.power.page import page, put
from tools.power.tables import judged
from tools.power.trial import Tally
from xtable.replay import newest_recording
from xtable_audit.model.problem import Problem

PAGE = ROOT / "docs" / "edges.md"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools power", description=__doc__)
    parser.add_argument("--tables", metavar="NAME,…", default="")
    parser.add_argument("--page", action="store_true")
    wanted = parser.parse_args(arguments)
    if wanted.page and wanted.tables:
        parser.error("the page is of all tables: leave out --tables or --page")
    names = frozenset(filter(None, wanted.tables.split(",")))
    if unknown := names - {*SMALL_TABLES}:
        raise Problem(f"there is no table {', '.join(sorted(unknown))}; python -m spark_jobs.battery . --list has all.")
    tally, count = Tally(), 0
    for one in judged(names):
        tally.try_all(one.table, one.way, one.case)
        count += 1
    if not count:
        raise Problem(f"XTable {newest_recording()} is recorded over none of {', '.join(sorted(names))}.")
    found = page(tally, count, newest_recording())
    if wanted.page:
        PAGE.write_text(put(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
        print(f"{PAGE.relative_to(ROOT)} is written")
    else:
        print(found)


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
