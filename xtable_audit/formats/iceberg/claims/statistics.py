"""Statistics files and partition statistics files that metadata.json lists, against themselves and the live files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from xtable_audit.claims.deviation import NO_OBJECT, Deviation
from xtable_audit.claims.needs import BESIDE_UNREAD
from xtable_audit.formats.iceberg.claims.needs import beside_of
from xtable_audit.formats.iceberg.deletes import tuples
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.manifests import DATA
from xtable_audit.formats.iceberg.statistics import (
    COUNTS,
    Key,
    Listed,
    PartitionStatisticsFile,
    StatisticsFile,
    partition_fields,
)
from xtable_audit.model import rules
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case
from xtable_audit.table.deletions import EQUALITY, Tuple


def _files(case: Case) -> tuple[StatisticsFile | PartitionStatisticsFile, ...]:
    return *beside_of(case).statistics.tables, *beside_of(case).statistics.partitions


def _listed(case: Case) -> tuple[Listed, ...]:
    return tuple(one.listed for one in _files(case))


def _with_footer(case: Case) -> tuple[StatisticsFile, ...]:
    return tuple(one for one in beside_of(case).statistics.tables if one.footer_size is not None)


STATISTICS = Need[Case](
    "a statistics file or partition statistics file", lambda case: len(_files(case)), waits=BESIDE_UNREAD
)
EXISTING_STATISTICS = Need[Case](
    "a statistics file or partition statistics file that exists",
    lambda case: sum(one.size is not None for one in _files(case)),
    waits=BESIDE_UNREAD,
)
FOOTERS = Need[Case]("a statistics file that is read", lambda case: len(_with_footer(case)), waits=BESIDE_UNREAD)
PARTITION_STATISTICS = Need[Case](
    "a partition statistics file", lambda case: len(beside_of(case).statistics.partitions), waits=BESIDE_UNREAD
)
CURRENT_PARTITIONS = Need[Case](
    "a partition statistics file of the current snapshot that is read",
    lambda case: sum(one.partitions is not None for one in beside_of(case).statistics.partitions),
    waits=BESIDE_UNREAD,
)


@claim(
    "every statistics file that the metadata lists exists and can be read",
    needs=STATISTICS,
    spec=rules.STATISTICS_PATH,
    breaks=Verdict.COSMETIC,
)
def statistics_can_be_read(case: Case) -> Iterator[Deviation]:
    """Readers plan without them: "Statistics are informational"."""
    for one in _files(case):
        if one.size is None:
            saw = f"no object at {one.listed.path}"
            yield replace(_of_table(saw, "the statistics file that the metadata names"), kind=NO_OBJECT)
        elif one.malformed is not None:
            yield _of_table(f"{one.listed.path} {one.malformed}", "the statistics file that the metadata describes")


@claim(
    "file-size-in-bytes of a statistics file is its size, and file-footer-size-in-bytes that of its footer",
    needs=EXISTING_STATISTICS,
    spec=rules.STATISTICS_SIZE,
    breaks=Verdict.COSMETIC,
)
def statistics_sizes_are_exact(case: Case) -> Iterator[Deviation]:
    for one in _files(case):
        if one.size is not None and one.size != one.listed.size:
            yield _of_table(f"file-size-in-bytes {one.listed.size} of {_name(one.listed)}", f"{one.size} bytes")
    for file in _with_footer(case):
        if file.footer_size != file.listed.footer_size:
            saw = f"file-footer-size-in-bytes {file.listed.footer_size} of {_name(file.listed)}"
            yield _of_table(saw, f"{file.footer_size} bytes")


@claim(
    "statistics are of snapshots of the table",
    needs=STATISTICS,
    spec=rules.STATISTICS_SNAPSHOT,
    breaks=Verdict.COSMETIC,
)
def statistics_are_of_snapshots(case: Case) -> Iterator[Deviation]:
    known = {one.snapshot_id for one in iceberg_of(case.stored).metadata.snapshots}
    for one in _listed(case):
        if one.snapshot not in known:
            yield _of_table(f"snapshot {one.snapshot} of {_name(one)}", "a snapshot of the table")


@claim(
    "the metadata lists the blobs of a statistics file as its footer has them",
    needs=FOOTERS,
    spec=rules.STATISTICS_BLOBS,
    breaks=Verdict.COSMETIC,
)
def statistics_blobs_are_those_of_the_footer(case: Case) -> Iterator[Deviation]:
    for file in _with_footer(case):
        others = Counter(file.listed.blobs) - Counter(file.blobs)
        if others:
            kind, snapshot, sequence, fields = next(iter(others))
            saw = f"{kind} of fields {list(fields)}, snapshot {snapshot}, sequence number {sequence}"
            yield _of_table(f"{saw} of {_name(file.listed)}", "a blob of its footer")


@claim(
    "a snapshot has at most one partition statistics file",
    needs=PARTITION_STATISTICS,
    spec=rules.ONE_PARTITION_STATISTICS,
    breaks=Verdict.COSMETIC,
)
def partition_statistics_are_one_a_snapshot(case: Case) -> Iterator[Deviation]:
    times = Counter(one.listed.snapshot for one in beside_of(case).statistics.partitions)
    for snapshot, number in times.items():
        if number > 1:
            yield _of_table(f"{number} partition statistics files of snapshot {snapshot}", "one")


@claim(
    "partition statistics of the current snapshot count its live files, partition by partition",
    needs=CURRENT_PARTITIONS,
    spec=rules.PARTITION_STATISTICS,
    breaks=Verdict.COSMETIC,
)
def partition_statistics_count_live_files(case: Case) -> Iterator[Deviation]:
    """A partition without live files may have a row of zeros, or none. A null is no count."""
    for file in beside_of(case).statistics.partitions:
        if file.partitions is None:
            continue
        true, rows = _counted(case), dict(file.partitions)
        for key, times in Counter(key for key, _ in file.partitions).items():
            if times > 1:
                yield _of_table(f"{times} rows of {_partition(key)} in {_name(file.listed)}", "one")
        names = {name for counts in rows.values() for name in counts}
        for key in sorted(rows.keys() | true.keys()):
            wanted = _by_columns(true.get(key, dict.fromkeys(COUNTS, 0)), names)
            for name in sorted(names):
                stored = rows[key][name] if key in rows else 0
                if None not in (stored, wanted[name]) and stored != wanted[name]:
                    saw = f"{name} {stored} of {_partition(key)} in {_name(file.listed)}"
                    yield _of_table(saw, f"{wanted[name]}, by its live files")


@claim(
    "the rows of a partition statistics file are sorted by partition, nulls first",
    needs=CURRENT_PARTITIONS,
    spec=rules.PARTITION_STATISTICS_SORTED,
    breaks=Verdict.COSMETIC,
)
def partition_statistics_are_sorted(case: Case) -> Iterator[Deviation]:
    for file in beside_of(case).statistics.partitions:
        if not file.in_order:
            yield _of_table(f"rows out of order in {_name(file.listed)}", "rows sorted by partition, nulls first")


def _counted(case: Case) -> dict[Key, dict[str, int | None]]:
    """What the live files and delete files add up to, by partition."""
    specs = iceberg_of(case.stored).metadata.specs()
    fields = partition_fields(specs.values())

    def key(of_file: Tuple) -> Key:
        known = dict(zip((field.field_id for field in specs[of_file[0]].fields), of_file[1], strict=False))
        return of_file[0], tuple(known.get(id, repr(None)) for id in fields)

    sums: defaultdict[Key, Counter[str]] = defaultdict(Counter)
    for manifest in iceberg_of(case.stored).manifests:
        if manifest.listed.get("content", DATA) == DATA:
            files = manifest.live.select(["record_count", "file_size_in_bytes"]).to_pylist()
            for row, of_file in zip(files, tuples(manifest.live), strict=True):
                counts = {"data_record_count": row["record_count"], "data_file_count": 1}
                size = {"total_data_file_size_in_bytes": row["file_size_in_bytes"]}
                sums[key(of_file)].update(counts | size)
    for one in case.stored.deletions.files:
        kind = "equality_delete" if one.content == EQUALITY else "position_delete"
        count = "dv_count" if one.is_vector else f"{kind}_file_count"
        sums[key(one.partition)].update({count: 1, f"{kind}_record_count": one.record_count})
    return {partition: _with_total(counts) for partition, counts in sums.items()}


def _with_total(counts: Counter[str]) -> dict[str, int | None]:
    """The total of live rows is known without reading them if there are no deletes but vectors."""
    known = not counts["equality_delete_file_count"] and not counts["position_delete_file_count"]
    total = counts["data_record_count"] - counts["position_delete_record_count"] if known else None
    return {name: counts[name] for name in COUNTS} | {"total_record_count": total}


def _by_columns(wanted: dict[str, int | None], names: set[str]) -> dict[str, int | None]:
    """Before Iceberg 1.10, files of vectors were counted with position delete files: there was no dv_count."""
    if wanted["dv_count"] and "dv_count" not in names:
        return wanted | {"position_delete_file_count": None}
    return wanted


def _partition(key: Key) -> str:
    id, values = key
    return f"partition ({', '.join(values)}) of spec {id}"


def _name(listed: Listed) -> str:
    return listed.path.rpartition("/")[2]


def _of_table(saw: str, expected: str) -> Deviation:
    return Deviation((), saw, expected, whole=True)
