"""Which errors would the recorded tables catch? Makes errors of a translator in their metadata, one at a time, in each
kind of place, and has the claims judge: `python -m tools mutations`, two minutes.

Without options it prints the counts and the holes. `--page` writes them into docs/edges.md. `--tables NAME,…` takes
these tables alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from fixtures.session import AuditSession
from lab.provision.catalogue import Catalogue
from lab.provision.live_or_recorded import decide
from lab.provision.plan import DELTA_RS, EVERY, PAIMON, SMALL_TABLES, WITHOUT_LOG, Plan
from lab.provision.progress import Progress
from lab.provision.provisioner import Provisioner
from lab.stack.project import ROOT
from lab.subjects.groups import IN_BATTERY, each_target
from lab.subjects.table import Offer
from tools.mutations.made_errors import Tally
from tools.mutations.page import page, put
from xtable.replay import newest_recording
from xtable.writer import WRITERS
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import DELTA, HUDI, ICEBERG
from xtable_audit.subject.case import Case

# The recorded tables of the newest release, judged, and the way that each goes: from which format to which.

RECORDED = Plan(xtable="recorded", recorded=True, readers=())
TO_ALL = replace(RECORDED, target=EVERY, delta_target_by="all")
PLANS = (
    TO_ALL,
    replace(RECORDED, delta_source_by="kernel"),
    replace(TO_ALL, source_format=WITHOUT_LOG, standalone_tables="all"),
    replace(RECORDED, source_format=PAIMON),
    replace(TO_ALL, source_format=PAIMON, target=DELTA, standalone_tables="all"),
    replace(RECORDED, source_format=DELTA_RS),
    replace(RECORDED, source_format=DELTA_RS, delta_source_by="kernel"),
    replace(TO_ALL, source_format=ICEBERG, target=DELTA, standalone_tables="all"),
    *(replace(RECORDED, target=HUDI, source_format=source) for source in ("auto", PAIMON, DELTA_RS, ICEBERG)),
)
"""Together they have every pair of formats that is recorded."""
FORMATS = {
    "HUDI": "Hudi",
    "DELTA": "Delta",
    "PARQUET": "Parquet",
    "PAIMON": "Paimon",
    "ICEBERG_SOURCE": "Iceberg",
}


@dataclass(frozen=True)
class Judged:
    table: str
    way: str
    """`Hudi to Iceberg`."""
    case: Case


def judged(names: frozenset[str] = frozenset(), plans: tuple[Plan, ...] = PLANS) -> Iterator[Judged]:
    """Each table of the battery that can be read, or those of these datasets alone."""
    with tempfile.TemporaryDirectory(prefix="xtable-audit-mutations-") as folder:
        for plan in plans:
            catalogue, nothing = Catalogue(plan), Progress(Console(quiet=True), quiet=True)
            provisioner = Provisioner(plan, catalogue, nothing, Path(folder), decide(plan))
            try:
                session = AuditSession(plan, catalogue, provisioner)
                for id in catalogue.ids(each_target(IN_BATTERY)):
                    offer = catalogue[id]
                    if (not names or offer.id.dataset in names) and (case := session.table(id).case) is not None:
                        yield Judged(id, _way(plan, offer), case)
            finally:
                provisioner.stop()


def _way(plan: Plan, offer: Offer) -> str:
    source = "Delta by delta-rs" if plan.source_format == DELTA_RS else FORMATS[offer.entry.format]
    return f"{source} to {WRITERS[offer.id.translator].words}"


PAGE = ROOT / "docs" / "edges.md"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools mutations", description=__doc__)
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
