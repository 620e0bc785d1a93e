"""Reads what a Hudi table says of each live data file as the stored metrics of claims.

Files are those of the metadata table, from which readers list, that the timeline neither hides nor has replaced; bounds
and counts are its column statistics; row counts are those of commits that are not archived. Of a table without
partition columns Hudi 0.14, which XTable asks its readers for, opens files in folders, too, as those of Paimon's
buckets; Hudi 0.15 looks into the table's own folder alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.hudi.metadata_table.records import (
    FILES,
    ColumnRecord,
    MetadataTable,
    read_metadata_table,
)
from xtable_audit.formats.hudi.schema import PARQUET, base_format, partition_fields, read_settings
from xtable_audit.formats.hudi.target.avro_values import NoBound, bound_of, schema_of
from xtable_audit.formats.hudi.target.paths import as_judged, data_file_name, values_in
from xtable_audit.formats.hudi.target.rules import HUDI_RULES
from xtable_audit.formats.hudi.target.table import HudiTarget, LiveFile
from xtable_audit.formats.hudi.timeline import HudiTimeline, extra_metadata, live_files
from xtable_audit.model.hudi_instant import HudiInstantFile, hudi_instant
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem, Unreachable
from xtable_audit.table.optional_metrics import OptionalMetrics
from xtable_audit.table.plain_table import PlainFile, plain_metrics
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import PROPERTY, synced_in

LISTED = "hoodie.table.metadata.partitions"
SCHEMA = "hoodie.table.create.schema"
NEWEST = 6
"""The version of tables that every release of XTable up to 0.4.0 writes; later ones have another timeline."""


def find(objects: Objects, root: str) -> tuple[str, tuple[str, ...]]:
    """The address of the newest completed write of the Hudi table in the folder, and no notes. Raises Problem."""
    folder = TableFolder(root.rstrip("/"), objects)
    version = read_settings(folder).get("hoodie.table.version", "0")
    if version.isdigit() and int(version) > NEWEST:
        raise Problem(
            f"{root} is a Hudi table of version {version}; as a table to check, versions up to {NEWEST} are read"
        )
    writes = HudiTimeline.read(folder).writes
    if not writes:
        raise Problem(f"{root} is a Hudi table without a completed write")
    return HudiInstantFile(folder.root, writes[-1].name).location, ()


def is_expired(objects: Objects, newest: str, location: str) -> bool:
    """Whether the timeline has archived the instant at `location`, or the metadata table no longer tells its state."""
    left = hudi_instant(location)
    folder = TableFolder(left.root, objects)
    timeline = HudiTimeline.read(folder)
    if left.time not in {one.time for one in timeline.writes}:
        return hudi_instant(newest).time > left.time
    try:
        _metadata(folder, read_settings(folder), timeline, left.time)
    except (Problem, Malformed):
        return True
    return False


def read_hudi(objects: Objects, location: str) -> StoredMetrics:
    """The table after the write at `location`. Raises Malformed."""
    at = hudi_instant(location)
    folder = TableFolder(at.root, objects)
    try:
        settings = read_settings(folder)
        timeline = HudiTimeline.read(folder)
    except Unreachable:
        raise
    except Problem as error:
        raise Malformed(location, f"cannot be read: {error}") from error
    if base_format(settings) != PARQUET:
        raise Malformed(location, f"has base files of {base_format(settings)}; those of Parquet alone are read")
    instant = next((one for one in timeline.writes if one.time == at.time), None)
    if instant is None:
        raise Malformed(location, "is no completed write on the timeline")
    metadata = _metadata(folder, settings, timeline, at.time)
    notes = extra_metadata(timeline.content(instant))
    files, logs = _live(folder, timeline, metadata, at.time)
    if logs:
        raise Malformed(location, "has log files of updates; a table with base files alone is read")
    table = HudiTarget(
        HUDI_RULES,
        schema_of(_schema(timeline, settings, at.time, location), location),
        int(at.time),
        partition_fields(settings),
        last_synced=synced_in(notes.get(PROPERTY, "")),
        more_metadata=tuple(folder.uri(name) for name in metadata.read) if metadata else (),
        timeline=timeline,
        settings=settings,
        at=at,
        metadata=metadata,
        live={folder.uri(one.path): one for one in files},
    )
    return _stored(objects, location, table, files)


def _metadata(
    folder: TableFolder, settings: Mapping[str, str], timeline: HudiTimeline, until: str
) -> MetadataTable | None:
    partitions = frozenset(filter(None, settings.get(LISTED, "").split(",")))
    if FILES not in partitions:
        return None
    return read_metadata_table(folder, timeline, partitions, until)


def _schema(timeline: HudiTimeline, settings: Mapping[str, str], until: str, location: str) -> str:
    kept = [one.schema for one in timeline.commits if one.schema and one.instant.time <= until]
    text = kept[-1] if kept else settings.get(SCHEMA, "")
    if not text:
        raise Malformed(location, "has no schema, neither in its commits nor in its settings")
    return text


def _live(
    folder: TableFolder, timeline: HudiTimeline, metadata: MetadataTable | None, until: str
) -> tuple[list[LiveFile], Collection[str]]:
    """The live files in the order of their paths, and the log files beside them."""
    if metadata is None:
        sizes = folder.sizes("", below=True)
        found = live_files(sizes, timeline, until)
        in_turn = ((name, *name.rpartition("/")[::2]) for name in found.base)
        return [LiveFile(part, file, _time(file), sizes[name], name) for name, part, file in in_turn], found.logs
    replaced = {
        (part, id)
        for commit in timeline.commits
        if commit.instant.time <= until
        for part, ids in commit.replaced.items()
        for id in ids
    }
    newest: dict[tuple[str, str], LiveFile] = {}
    logs = []
    for partition, listed in metadata.files.items():
        for name, size in listed.items():
            found_name = data_file_name(name)
            if found_name is None:
                logs += [name] if name.startswith(".") else []
                continue
            group, time = (partition, found_name.group), found_name.time
            if time > until or group in replaced or not timeline.is_visible(time):
                continue
            path = f"{partition}/{name}".lstrip("/")
            one = LiveFile(partition, found_name.name, time, size, path)
            newest[group] = max(newest.get(group, one), one, key=lambda file: file.time)
    return sorted(newest.values(), key=lambda one: one.path), logs


def _time(name: str) -> str:
    found = data_file_name(name)
    return found.time if found else ""


def _stored(objects: Objects, location: str, table: HudiTarget, files: Sequence[LiveFile]) -> StoredMetrics:
    assert table.timeline is not None
    rows = {
        write.path: write.records for commit in table.timeline.commits for of in commit.writes.values() for write in of
    }
    types = {leaf.path: leaf.arrow for leaf in table.leaves}
    partition_types = {name: types.get(name, pa.string()) for name in table.partition_by}
    plain = [
        PlainFile(
            f"{hudi_instant(location).root}/{one.path}",
            one.size,
            rows.get(one.listed),
            partition=values_in(one.partition, partition_types, table.settings),
        )
        for one in files
    ]
    stored = plain_metrics(objects, location, table, plain)
    by_place = records_by_place(table.metadata, files)
    columns, why = {}, {}
    for leaf in table.leaves:
        columns[leaf.path], words = _column([by_place.get((n, leaf.path)) for n in range(len(files))], leaf.arrow)
        if any(words):
            why[leaf.path] = pa.array(words, pa.string())
    judged = tuple(as_judged(one, table.settings) for one in stored.partitionings)
    return replace(
        stored, columns=columns, undecodable=why, optional=_optional_metrics(table, files), partitionings=judged
    )


def records_by_place(
    metadata: MetadataTable | None, files: Sequence[LiveFile]
) -> Mapping[tuple[int, str], ColumnRecord]:
    """By the place of the file and the column. A record names its file without the folder: of a name that files in
    several partitions have, none is known to be whose.
    """
    shared = _shared(files)
    alone = {one.name: place for place, one in enumerate(files) if one.name not in shared}
    records = metadata.statistics.values() if metadata else ()
    return {(alone[one.file], one.column): one for one in records if one.file in alone}


def _shared(files: Sequence[LiveFile]) -> frozenset[str]:
    """Names that several of the files have, each in a partition of its own."""
    return frozenset(name for name, number in Counter(one.name for one in files).items() if number > 1)


def _column(records: Sequence[ColumnRecord | None], arrow: pa.DataType) -> tuple[pa.Table, list[str | None]]:
    """The stored metrics of a column, and why a bound is no value of its type."""
    bounds: dict[str, list[Any]] = {"lower": [], "upper": []}
    why: list[str | None] = []
    for record in records:
        words = None
        for side, found in bounds.items():
            try:
                found.append(bound_of(getattr(record, side), arrow) if record else None)
            except NoBound as error:
                found.append(None)
                words = f"a bound of {arrow} that is {error}"
        why.append(words)
    counts = {
        "value_count": [record.values if record else None for record in records],
        "null_count": [record.nulls if record else None for record in records],
    }
    arrays = {side: pa.array(found, arrow) for side, found in bounds.items()}
    arrays |= {name: pa.array(found, pa.int64()) for name, found in counts.items()}
    return pa.table(arrays | {"nan_count": pa.nulls(len(records), pa.int64())}), why


def _optional_metrics(table: HudiTarget, files: Sequence[LiveFile]) -> OptionalMetrics:
    """Which columns the index holds is its writer's choice: of others there is no record in any file. Of the others
    those files are free whose records are not told apart.
    """
    shared = _shared(files)
    every, some = pa.array([True] * len(files), pa.bool_()), pa.array([one.name in shared for one in files], pa.bool_())
    indexed = {one.column for one in table.metadata.statistics.values()} if table.metadata else set()
    free = {leaf.path: some if leaf.path in indexed else every for leaf in table.leaves}
    return OptionalMetrics(bounds=free, counts=free)
