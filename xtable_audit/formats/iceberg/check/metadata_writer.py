"""Who wrote an Iceberg table, and who added some of its files: by its properties and the summaries of snapshots."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.check_support import XTABLE, Authors, MetadataWriter
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import PROPERTY, source_format

if TYPE_CHECKING:
    from pyiceberg.table.snapshots import Snapshot

RELEASES = {"1.9.2": ("0.4.0",), "": ("0.2.0", "0.3.0")}
"""Iceberg's version in XTable's snapshots -> releases of XTable that use it. Before 1.5 Iceberg does not say it."""
NEWEST = "0.4.0"
"""XTable's main has the same Iceberg (2026-11)."""
ENGINES = {"engine-name": "engine-version", "trino_query_id": "", "spark.app.id": "", "flink.job-id": ""}
"""Fields of a snapshot's summary by which engines are known -> the field with the version."""
NAMES = {"trino_query_id": "Trino", "spark.app.id": "Spark", "flink.job-id": "Flink"}
ICEBERG = re.compile(r"Apache Iceberg (\d+(?:\.\d+)*)")


def writer_of(stored: StoredMetrics) -> MetadataWriter:
    """Who wrote the current snapshot, or translated the table."""
    metadata = iceberg_of(stored).metadata
    snapshot = metadata.current_snapshot()
    summary = _summary(snapshot)
    if PROPERTY in metadata.properties or PROPERTY in summary:
        found = ICEBERG.match(summary.get("iceberg-version", ""))
        releases = RELEASES.get(found[1] if found else "", ())
        version = " or ".join([*releases, *(["later"] if NEWEST in releases else [])])
        source = source_format(metadata.properties.get(PROPERTY) or summary.get(PROPERTY, ""))
        return MetadataWriter(XTABLE, version, releases, source, f"the table's properties hold {PROPERTY}")
    return named_in(snapshot)


def named_in(snapshot: Snapshot | None) -> MetadataWriter:
    """The engine that the snapshot's summary names."""
    summary = _summary(snapshot)
    for field, of_version in ENGINES.items():
        if field in summary:
            name = NAMES.get(field) or summary[field].capitalize()
            return MetadataWriter(name, summary.get(of_version, ""), because="the current snapshot's summary names it")
    return MetadataWriter()


def authors(stored: StoredMetrics, paths: frozenset[str]) -> Authors:
    """Who added these files, by the summaries of the snapshots that did; of none, who wrote the snapshots."""
    added = _added(paths, stored)
    by_snapshot = {one.snapshot_id: named_in(one).name for one in iceberg_of(stored).metadata.snapshots}
    names = {by_snapshot.get(id, "") for id in added} if added else {*by_snapshot.values()}
    whose = "the snapshots that added these files" if added else "the table's snapshots"
    return Authors(frozenset(names), "summary", "summaries", whose)


def _added(paths: frozenset[str], stored: StoredMetrics) -> set[int]:
    """Ids of the snapshots that added these files."""
    wanted = pa.array(sorted(paths), pa.string())
    if not len(wanted):
        return set()
    found = (
        one.live.filter(pc.is_in(one.live["file_path"].cast(pa.string()), wanted))
        for one in iceberg_of(stored).manifests
    )
    return {id for live in found for id in live["snapshot"].to_pylist()}


def _summary(snapshot: Snapshot | None) -> Mapping[str, str]:
    return {} if snapshot is None or snapshot.summary is None else snapshot.summary.additional_properties
