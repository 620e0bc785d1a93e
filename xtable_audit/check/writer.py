"""Who wrote a table's metadata, by what it left there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xtable_audit.model.finding import Blame
from xtable_audit.table.synced import PROPERTY, source_format

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.snapshots import Snapshot

RELEASES = {"1.9.2": ("0.4.0",), "": ("0.2.0", "0.3.0")}
"""Iceberg's version in XTable's snapshots -> releases of XTable that use it. Before 1.5 Iceberg does not say it."""
NEWEST = "0.4.0"
"""XTable's main has the same Iceberg (2026-11)."""
ENGINES = {"engine-name": "engine-version", "trino_query_id": "", "spark.app.id": "", "flink.job-id": ""}
"""Fields of a snapshot's summary by which engines are known -> the field with the version."""
NAMES = {"trino_query_id": "Trino", "spark.app.id": "Spark", "flink.job-id": "Flink"}
ICEBERG = re.compile(r"Apache Iceberg (\d+(?:\.\d+)*)")


@dataclass(frozen=True)
class Writer:
    """`name` is that of a translator or an engine; "" if nothing tells."""

    name: str = ""
    version: str = ""
    """As far as it is known: `0.2.0 or 0.3.0`, `0.4.0 or later`."""
    releases: tuple[str, ...] = ()
    """Releases of XTable that may have written it; empty if any may have, or XTable has not."""
    source: str = ""
    """The format that XTable translated: `hudi`, `delta`; "" if it is not known."""

    @property
    def is_xtable(self) -> bool:
        return self.name == "XTable"

    @property
    def words(self) -> str:
        return f"{self.name} {self.version}".strip()

    @property
    def versions(self) -> dict[str, str]:
        """Name to version, as far as it is known."""
        return {self.name.lower(): self.version} if self.name and self.version else {}

    @property
    def ruling(self) -> tuple[Blame, str]:
        """Whose fault a finding is, and why."""
        if self.is_xtable:
            return Blame.XTABLE, f"the table's properties hold {PROPERTY}"
        if not self.name:
            return Blame.writer("unknown"), "nothing in the metadata says what wrote it"
        return Blame.writer(self.name), "the current snapshot's summary names it"


def writer_of(metadata: TableMetadata) -> Writer:
    """Who wrote the current snapshot, or translated the table."""
    snapshot = metadata.current_snapshot()
    summary = _summary(snapshot)
    if PROPERTY in metadata.properties or PROPERTY in summary:
        found = ICEBERG.match(summary.get("iceberg-version", ""))
        releases = RELEASES.get(found[1] if found else "", ())
        version = " or ".join([*releases, *(["later"] if NEWEST in releases else [])])
        source = source_format(metadata.properties.get(PROPERTY) or summary.get(PROPERTY, ""))
        return Writer("XTable", version, releases, source)
    return named_in(snapshot)


def named_in(snapshot: Snapshot | None) -> Writer:
    """The engine that the snapshot's summary names."""
    summary = _summary(snapshot)
    for field, of_version in ENGINES.items():
        if field in summary:
            name = NAMES.get(field) or summary[field].capitalize()
            return Writer(name, summary.get(of_version, ""))
    return Writer()


def _summary(snapshot: Snapshot | None) -> Mapping[str, str]:
    return {} if snapshot is None or snapshot.summary is None else snapshot.summary.additional_properties
