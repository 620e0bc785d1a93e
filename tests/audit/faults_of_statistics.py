"""Faults of statistics files: where they are, what they are of, and what they count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tests.audit import healthy_deletes
from tests.audit.draft import Draft, Record
from tests.audit.fault import Fault
from tests.audit.healthy_deletes import COUNTED
from xtable_audit.model.finding import Verdict

TABLE, PARTITIONS = "statistics", "partition-statistics"
COUNTS = "partition_statistics_count_live_files"


def told(draft: Draft, kind: str, change: Callable[[Record], object]) -> None:
    """Changes what the metadata says of the statistics file."""
    draft.change_metadata(lambda metadata: change(metadata[kind][0]))


def more(entry: Record, name: str) -> None:
    entry[name] += 1


def missing(draft: Draft, kind: str) -> None:
    draft.mirror.file(draft.metadata()[kind][0]["statistics-path"]).unlink()


def garbage(draft: Draft, kind: str) -> None:
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


def rows(draft: Draft, change: Callable[[list[Record]], object]) -> None:
    """Other rows in the partition statistics file."""
    told_of = draft.metadata()[PARTITIONS][0]
    found = healthy_deletes.partitions(draft)
    change(found)
    healthy_deletes.write_partitions(draft, told_of["statistics-path"], found)
    size = draft.mirror.file(told_of["statistics-path"]).stat().st_size
    told(draft, PARTITIONS, lambda entry: entry.update({"file-size-in-bytes": size}))


def first_row(found: list[Record], name: str) -> None:
    found[0][name] = 7


def _faults() -> Iterator[Fault]:
    for kind, what in ((TABLE, "statistics"), (PARTITIONS, "partition statistics")):
        for words, spoil, id in (
            ("missing", partial(missing, kind=kind), "statistics_can_be_read"),
            ("that are none", partial(garbage, kind=kind), "statistics_can_be_read"),
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
    yield _fault("partitions out of order", partial(rows, change=list.reverse), "partition_statistics_are_sorted")
    yield _fault("partition left out", partial(rows, change=list.pop), COUNTS)
    yield _fault("partition told twice", partial(rows, change=lambda found: found.append(found[-1])), COUNTS)
    for name in healthy_deletes.NAMES:
        yield _fault(f"another {name}", partial(rows, change=partial(first_row, name=name)), COUNTS)
    yield _fault("another total", partial(rows, change=partial(first_row, name="total_record_count")), COUNTS)
    gone = {"branches_and_tags_can_be_read": Verdict.UNREADABLE}
    yield Fault("tag without a manifest list", COUNTED, without_manifest_list, gone, ())


def _fault(words: str, spoil: Callable[[Draft], None], id: str) -> Fault:
    return Fault(words, COUNTED, spoil, {id: Verdict.COSMETIC}, ())


FAULTS = tuple(_faults())
