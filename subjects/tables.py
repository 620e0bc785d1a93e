"""The tables under audit: a dataset and the translator of its metadata. Users type their ids after `-k`."""

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
"""Ordinary values of every plain type. Every reader runs the predicate grid on them."""
TRANSLATED = tuple(id for id, spec in TABLES.items() if spec.dataset in BATTERY and spec.translator == "xtable")
IN_BATTERY = tuple(id for id in TRANSLATED if BATTERY[TABLES[id].dataset].refused is None)
"""The battery as XTable translates it. Control tables are built only to decide blame."""
REFUSED = tuple(id for id in TRANSLATED if id not in IN_BATTERY)
"""Tables of versions that XTable cannot read and must refuse. Other claims check only those in UPGRADED."""
UPGRADED = tuple(
    id for id in REFUSED if (refused := BATTERY[TABLES[id].dataset].refused) is not None and refused.since > 1
)
"""Refused tables that XTable could read before they were upgraded."""
WITH_ROWS = tuple(id for id in IN_BATTERY if not any("timebased" in key for key in BATTERY[TABLES[id].dataset].options))
"""Tables whose rows the source's engine returns as written.

With a time-based key generator Hudi returns the text of its partition paths instead.
"""
BOTH_WAYS = tuple(
    (id, footers) for id in IN_BATTERY if id.startswith("v6_index_") and (footers := id.replace("index", "footers", 1))
)
"""Pairs of tables with the same rows by the same Hudi release, with and without its column statistics."""
TWINS_OF_HUDI = tuple(id for id in IN_BATTERY if id.startswith("v6_index_"))
"""Translations of the rows that Hudi's own reader also reads with its indexes: `skip_addresses`."""
ALL = (*PUBLISHED, "plain_types-control", *IN_BATTERY)
"""The tables that most claims check."""


def over(*ids: str) -> pytest.MarkDecorator:
    """Runs the test once for each of these tables."""
    return pytest.mark.parametrize("table", ids, indirect=True)


@dataclass(frozen=True)
class Table:
    """One table, ready for claims. `case` is None if it cannot be read."""

    id: str
    dataset: str
    translator: str
    mode: Literal["live", "recorded"]
    metadata_location: str
    case: Case | None
    unreadable: str | None
    """Why it cannot be judged, in one sentence: the release failed on it, or one of its files is malformed."""
    versions: dict[str, str]
    """Versions of what wrote it: spark, hudi, iceberg, xtable, pyiceberg, as they apply."""
    log: str = ""
    """XTable's log of the sync."""
    prefix: str = ""
    """The source's prefix in the store."""
    syncs: tuple[Sync, ...] = ()
    """The syncs that made it, also if the table cannot be judged."""
    stats: SourceStats | None = None
    """The source's own statistics of its files; None if they were not read."""
