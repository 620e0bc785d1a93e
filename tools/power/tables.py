"""The recorded tables of the newest release, judged, and the way that each goes: from which format to which."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from fixtures.session import AuditSession
from lab.provision.catalogue import Catalogue
from lab.provision.chosen_translation import decide
from lab.provision.plan import DELTA_RS, EVERY, PAIMON, WITHOUT_LOG, Plan
from lab.provision.progress import Progress
from lab.provision.provisioner import Provisioner
from lab.subjects.groups import IN_BATTERY, each_target
from lab.subjects.table import Offer
from xtable.writer import WRITERS
from xtable_audit.model.subject_id import DELTA, HUDI, ICEBERG
from xtable_audit.subject.case import Case

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
    with tempfile.TemporaryDirectory(prefix="xtable-audit-power-") as folder:
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
