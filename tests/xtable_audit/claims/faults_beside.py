"""Faults of what a table has beside its data files: delete files and statistics files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.conversions import to_bytes
from pyiceberg.types import LongType, StringType

from tests.tables import deletes, healthy_deletes
from tests.tables.deletes import EQUALITY, POSITION
from tests.tables.draft import Draft, Fault, Record
from tests.tables.healthy_deletes import BY_POSITION, BY_VALUE, COUNTED, DELETED, UNTOUCHED
from tests.tables.typed import ROWS
from xtable_audit.formats.iceberg.delete_contents import FILE_PATH, POS
from xtable_audit.model.finding import Verdict

# Faults of delete files: what manifests say of them, and the rows that they hold.

COSMETIC, STALE, UNREADABLE = Verdict.COSMETIC, Verdict.STALE, Verdict.UNREADABLE
PLACES = {POSITION: (BY_POSITION,), EQUALITY: (BY_VALUE,)}
Change = Callable[[Draft, Record], None]
"""Changes the `data_file` of an entry."""


def of_entry(draft: Draft, content: int, change: Change) -> None:
    def each(entries: list[Record]) -> None:
        for entry in entries:
            if entry["data_file"]["content"] == content:
                change(draft, entry["data_file"])

    deletes.change_deletes(draft, each)


def plus(name: str, more: int) -> Change:
    return lambda draft, file: file.update({name: file[name] + more})


def put(name: str, value: Any) -> Change:
    return lambda draft, file: file.update({name: value})


def metric(name: str, id: int | str, value: Any) -> Change:
    """One field's value of a metric. A field of the table by its name."""

    def change(draft: Draft, file: Record) -> None:
        key = id if isinstance(id, int) else draft.leaf(id).field_id
        file[name] = [pair for pair in file[name] if pair["key"] != key] + [{"key": key, "value": value}]

    return change


def refer(draft: Draft, file: Record) -> None:
    file["referenced_data_file"] = draft.path(UNTOUCHED)


def elsewhere(draft: Draft, file: Record) -> None:
    file["partition"] = dict.fromkeys(file["partition"], "elsewhere")


def gone(draft: Draft, file: Record) -> None:
    draft.mirror.file(file["file_path"]).unlink()


def garbage(draft: Draft, file: Record) -> None:
    where = draft.mirror.file(file["file_path"])
    where.write_bytes(b"?" * where.stat().st_size)


def rows(positions: list[int | None]) -> Change:
    """Another file of position deletes, with all that is said of it but of its order."""

    def change(draft: Draft, file: Record) -> None:
        table = pa.table({"file_path": [draft.path(BY_POSITION)] * len(positions), "pos": positions})
        written(draft, file, table)
        if None not in positions:
            file |= deletes.metrics(table, deletes.BY_POSITION)

    return change


def written(draft: Draft, file: Record, table: pa.Table) -> None:
    where = draft.mirror.file(file["file_path"])
    pq.write_table(table, where)
    file |= {"record_count": table.num_rows, "file_size_in_bytes": where.stat().st_size}


def by_double(draft: Draft, file: Record) -> None:
    """Deletes by a double as well."""
    ids = {column: draft.leaf(column).field_id for column in ("long", "double")}
    fields = [
        pa.field(name, kind, metadata={"PARQUET:field_id": str(ids[name])})
        for name, kind in (("long", pa.int64()), ("double", pa.float64()))
    ]
    written(draft, file, pa.table([[1, 2], [0.5, 1.5]], schema=pa.schema(fields)))
    file |= {"equality_ids": list(ids.values()), "lower_bounds": None, "upper_bounds": None}


def by_nothing_held(draft: Draft, file: Record) -> None:
    file["equality_ids"] = [*file["equality_ids"], draft.leaf("int").field_id]


LOWEST, HIGHEST = to_bytes(LongType(), -(2**62)), to_bytes(LongType(), 2**62)
BOUNDS = {"delete_bounds_contain_values": STALE}
IDS = {"equality_ids_are_columns": UNREADABLE}


def counts(verdict: Verdict) -> dict[str, Verdict]:
    return {"delete_counts_are_exact": verdict}


def value_counts(verdict: Verdict) -> dict[str, Verdict]:
    return {"delete_value_counts_are_exact": verdict}


def _faults() -> Iterator[Fault]:
    readable, positions = {"delete_files_can_be_read": UNREADABLE}, {"deleted_positions_are_rows": STALE}
    sizes, order = {"delete_file_sizes_are_exact": Verdict.FAILED_SILENTLY}, {"position_deletes_are_sorted": COSMETIC}
    text = partial(to_bytes, StringType())
    for words, content, change, breaks, column in (
        ("position delete file missing", POSITION, gone, readable, None),
        ("equality delete file missing", EQUALITY, gone, readable, None),
        ("position delete file that is none", POSITION, garbage, readable, None),
        ("equality delete file that is none", EQUALITY, garbage, readable, None),
        ("delete of no position", POSITION, rows([1, None]), readable, None),
        ("position delete file a byte too long", POSITION, plus("file_size_in_bytes", 1), sizes, None),
        ("equality delete file a byte too short", EQUALITY, plus("file_size_in_bytes", -1), sizes, None),
        ("position deletes one too many", POSITION, plus("record_count", 1), counts(COSMETIC), None),
        ("equality deletes one too few", EQUALITY, plus("record_count", -1), counts(COSMETIC), None),
        ("equality deletes none", EQUALITY, put("record_count", 0), counts(STALE), None),
        ("lower bound of paths raised", POSITION, metric("lower_bounds", FILE_PATH, text("t")), BOUNDS, "file_path"),
        ("upper bound of paths lowered", POSITION, metric("upper_bounds", FILE_PATH, text("s")), BOUNDS, "file_path"),
        ("lower bound of positions raised", POSITION, metric("lower_bounds", POS, HIGHEST), BOUNDS, "pos"),
        ("upper bound of positions lowered", POSITION, metric("upper_bounds", POS, LOWEST), BOUNDS, "pos"),
        ("bound of positions that is none", POSITION, metric("upper_bounds", POS, b"?"), BOUNDS, "pos"),
        ("lower bound of a column raised", EQUALITY, metric("lower_bounds", "long", HIGHEST), BOUNDS, "long"),
        ("upper bound of a column lowered", EQUALITY, metric("upper_bounds", "long", LOWEST), BOUNDS, "long"),
        ("a value too many", EQUALITY, metric("value_counts", "long", 3), value_counts(COSMETIC), "long"),
        ("a null too many", EQUALITY, metric("null_value_counts", "long", 1), value_counts(COSMETIC), "long"),
        ("nothing but nulls", EQUALITY, metric("null_value_counts", "long", 2), value_counts(STALE), "long"),
        ("another file referenced", POSITION, refer, {"referenced_files_are_those_of_the_deletes": STALE}, None),
        ("rows out of order", POSITION, rows([3, 1]), order, None),
        ("position after the last row", POSITION, rows([1, ROWS]), positions, None),
        ("position before the first row", POSITION, rows([-1, 1]), positions, None),
        ("deletes in another partition", POSITION, elsewhere, {"deletes_apply_to_their_files": STALE}, None),
        ("no equality_ids", EQUALITY, put("equality_ids", []), IDS, None),
        ("equality_ids of no column", EQUALITY, put("equality_ids", [999]), IDS, None),
        ("equality_ids of a column that the file lacks", EQUALITY, by_nothing_held, IDS, "int"),
        ("deletes by a double", EQUALITY, by_double, {"equality_deletes_compare_no_floats": COSMETIC}, "double"),
    ):
        yield Fault(words, DELETED, partial(of_entry, content=content, change=change), breaks, PLACES[content], column)


FAULTS = tuple(_faults())


# Faults of statistics files: where they are, what they are of, and what they count.

TABLE, PARTITIONS = "statistics", "partition-statistics"
COUNTS = "partition_statistics_count_live_files"


def told(draft: Draft, kind: str, change: Callable[[Record], object]) -> None:
    """Changes what the metadata says of the statistics file."""
    draft.change_metadata(lambda metadata: change(metadata[kind][0]))


def more(entry: Record, name: str) -> None:
    entry[name] += 1


def missing(draft: Draft, kind: str) -> None:
    draft.mirror.file(draft.metadata()[kind][0]["statistics-path"]).unlink()


def no_statistics(draft: Draft, kind: str) -> None:
    where = draft.mirror.file(draft.metadata()[kind][0]["statistics-path"])
    where.write_bytes(b"?" * where.stat().st_size)


def without_manifest_list(draft: Draft) -> None:
    """That of the tag."""
    metadata = draft.metadata()
    tagged = next(one for one in metadata["snapshots"] if one["snapshot-id"] == healthy_deletes.TAGGED)
    draft.mirror.file(tagged["manifest-list"]).unlink()


def another_blob(entry: Record) -> None:
    entry["blob-metadata"][0]["fields"] = [3]


def twice(draft: Draft) -> None:
    draft.change_metadata(lambda metadata: metadata[PARTITIONS].append(metadata[PARTITIONS][0]))


def other_rows(draft: Draft, change: Callable[[list[Record]], object]) -> None:
    """Other rows in the partition statistics file."""
    told_of = draft.metadata()[PARTITIONS][0]
    found = healthy_deletes.partitions(draft)
    change(found)
    healthy_deletes.write_partitions(draft, told_of["statistics-path"], found)
    size = draft.mirror.file(told_of["statistics-path"]).stat().st_size
    told(draft, PARTITIONS, lambda entry: entry.update({"file-size-in-bytes": size}))


def first_row(found: list[Record], name: str) -> None:
    found[0][name] = 7


def _of_statistics() -> Iterator[Fault]:
    for kind, what in ((TABLE, "statistics"), (PARTITIONS, "partition statistics")):
        for words, spoil, id in (
            ("missing", partial(missing, kind=kind), "statistics_can_be_read"),
            ("that are none", partial(no_statistics, kind=kind), "statistics_can_be_read"),
            (
                "a byte too long",
                partial(told, kind=kind, change=partial(more, name="file-size-in-bytes")),
                "statistics_sizes_are_exact",
            ),
            (
                "of no snapshot",
                partial(told, kind=kind, change=partial(more, name="snapshot-id")),
                "statistics_are_of_snapshots",
            ),
        ):
            yield _fault(f"{what} {words}", spoil, id)
    footer = partial(told, kind=TABLE, change=partial(more, name="file-footer-size-in-bytes"))
    yield _fault("footer a byte too long", footer, "statistics_sizes_are_exact")
    blob = partial(told, kind=TABLE, change=another_blob)
    yield _fault("blob of another field", blob, "statistics_blobs_are_those_of_the_footer")
    yield _fault("two partition statistics of a snapshot", twice, "partition_statistics_are_one_a_snapshot")
    yield _fault("partitions out of order", partial(other_rows, change=list.reverse), "partition_statistics_are_sorted")
    yield _fault("partition left out", partial(other_rows, change=list.pop), COUNTS)
    yield _fault("partition told twice", partial(other_rows, change=lambda found: found.append(found[-1])), COUNTS)
    for name in healthy_deletes.NAMES:
        yield _fault(f"another {name}", partial(other_rows, change=partial(first_row, name=name)), COUNTS)
    yield _fault("another total", partial(other_rows, change=partial(first_row, name="total_record_count")), COUNTS)
    gone = {"branches_and_tags_can_be_read": Verdict.UNREADABLE}
    yield Fault("tag without a manifest list", COUNTED, without_manifest_list, gone, ())


def _fault(words: str, spoil: Callable[[Draft], None], id: str) -> Fault:
    return Fault(words, COUNTED, spoil, {id: Verdict.COSMETIC}, ())


STATISTICS_FAULTS = tuple(_of_statistics())
