"""The tables under audit: a dataset, and what wrote its Iceberg metadata. Their ids are what users type after `-k`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from spark_jobs.battery.tables import BATTERY
from xtable_audit.blame.source_stats import SourceStats
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.model.sync import Sync
from xtable_audit.subject.case import Case

TABLES = {
    str(id): id
    for id in (
        SubjectId("native_iceberg"),
        SubjectId("good_layout", "xtable"),
        SubjectId("good_layout", "control"),
        SubjectId("bad_layout", "xtable"),
        SubjectId("bad_layout", "control"),
        *(SubjectId(name, translator) for name in BATTERY for translator in ("xtable", "control")),
    )
}


def _of(*datasets: str) -> tuple[str, ...]:
    return tuple(id for id, spec in TABLES.items() if spec.dataset in datasets)


WELL_LAID_OUT = _of("native_iceberg", "good_layout")
TRANSLATED_WELL = _of("good_layout")
BADLY_LAID_OUT = _of("bad_layout")
PUBLISHED = WELL_LAID_OUT + BADLY_LAID_OUT
"""The published audit's tables."""
PLAIN = _of("plain_types")
"""Healthy values of every plain type: what the grid of predicates is put to every reader on."""
TRANSLATED = tuple(id for id, spec in TABLES.items() if spec.dataset in BATTERY and spec.translator == "xtable")
IN_BATTERY = tuple(id for id in TRANSLATED if BATTERY[TABLES[id].dataset].refused is None)
"""The battery as XTable translates it; its control tables are made where blame must be told."""
REFUSED = tuple(id for id in TRANSLATED if id not in IN_BATTERY)
"""Tables of versions that XTable cannot read: it must say so. No other claim is held against them."""
UPGRADED = tuple(
    id for id in REFUSED if (refused := BATTERY[TABLES[id].dataset].refused) is not None and refused.since > 1
)
"""Those that it could read before they were upgraded."""
WITH_ROWS = tuple(id for id in IN_BATTERY if not any("timebased" in key for key in BATTERY[TABLES[id].dataset].options))
"""Those whose rows the source's own engine shows; with a time-based key generator Hudi shows the text in its paths."""
BOTH_WAYS = tuple(
    (id, footers) for id in IN_BATTERY if id.startswith("v6_index_") and (footers := id.replace("index", "footers", 1))
)
"""The same rows by the same release of Hudi, with its own column statistics and without."""
TWINS_OF_HUDI = tuple(id for id in IN_BATTERY if id.startswith("v6_index_"))
"""The rows that Hudi's own reader is asked for too, with its own indexes: `skip_addresses`."""
ALL = (*PUBLISHED, "plain_types-control", *IN_BATTERY)
"""Every table that the claims are held against."""


def over(*ids: str) -> pytest.MarkDecorator:
    """Run the test once for each of these tables."""
    return pytest.mark.parametrize("table", ids, indirect=True)


@dataclass(frozen=True)
class Table:
    """One table, ready to be judged. `case` is None where it cannot be read."""

    id: str
    dataset: str
    translator: str
    mode: Literal["live", "recorded"]
    metadata_location: str
    case: Case | None
    unreadable: str | None
    """Why it cannot be judged, in one sentence: the release failed on it, or a file of it is not what it should be."""
    versions: dict[str, str]
    """What wrote it: spark, hudi, iceberg, xtable, pyiceberg as they apply."""
    log: str = ""
    """XTable's own log of the sync."""
    prefix: str = ""
    """Where the source lies in the store."""
    syncs: tuple[Sync, ...] = ()
    """Those that made it, told even where the table cannot be judged."""
    stats: SourceStats | None = None
    """What the source itself says of its files; None where nobody asked it."""
