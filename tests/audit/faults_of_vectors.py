"""Faults of deletion vectors: where they lie, which data file they are of, and which positions they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from tests.audit import deletes, vectors
from tests.audit.draft import Draft, Record, current_snapshot
from tests.audit.fault import Fault
from tests.audit.healthy_deletes import NEW, OLD, VECTORS
from xtable_audit.model.finding import Verdict

COSMETIC, STALE, UNREADABLE = Verdict.COSMETIC, Verdict.STALE, Verdict.UNREADABLE
HELD: dict[int, Sequence[int]] = {OLD: [1, 3, 5], NEW: [0, 2]}
GONE = "s3://xtable-audit/vectors/data/gone.parquet"
PLACE = {"vectors_are_where_the_footer_has_them": UNREADABLE, "delete_files_can_be_read": UNREADABLE}
Change = Callable[[Draft, Record], None]


def of_vector(draft: Draft, change: Change) -> None:
    """Changes the `data_file` of the vector of the file at NEW."""

    def each(entries: list[Record]) -> None:
        for entry in entries:
            if entry["data_file"]["referenced_data_file"] == draft.path(NEW):
                change(draft, entry["data_file"])

    deletes.change_deletes(draft, each)


def shifted(draft: Draft, file: Record) -> None:
    file["content_offset"] += 1


def cut(draft: Draft, file: Record) -> None:
    file["content_size_in_bytes"] -= 1


def nowhere(draft: Draft, file: Record) -> None:
    file |= {"content_offset": None, "content_size_in_bytes": None}


def of_no_file(draft: Draft, file: Record) -> None:
    file["referenced_data_file"] = None


def one_more(draft: Draft, file: Record) -> None:
    file["record_count"] += 1


def elsewhere(draft: Draft, file: Record) -> None:
    file["partition"] = dict.fromkeys(file["partition"], "elsewhere")


def rewritten(
    draft: Draft, held: dict[int, Sequence[int]] = HELD, told: Callable[[Draft, int, Record], None] | None = None
) -> None:
    """Another Puffin file in the same place. `told` changes the footer's word of the vector of a place."""
    blobs = [vectors.of_vector(draft.path(place), positions) for place, positions in held.items()]
    for place, (metadata, _) in zip(held, blobs, strict=True):
        if told is not None:
            told(draft, place, metadata)
    paths = {draft.path(place): number for number, place in enumerate(held)}
    positions = list(held.values())

    def each(entries: list[Record]) -> None:
        for file in (entry["data_file"] for entry in entries):
            if file["file_format"] == "PUFFIN":
                where = draft.mirror.file(file["file_path"])
                places = vectors.write_puffin(where, blobs)
                number = paths[file["referenced_data_file"]]
                file["content_offset"], file["content_size_in_bytes"] = places[number]
                file |= {"record_count": len(positions[number]), "file_size_in_bytes": where.stat().st_size}

    deletes.change_deletes(draft, each)


def of_another_file(draft: Draft, place: int, metadata: Record) -> None:
    if place == NEW:
        metadata["properties"]["referenced-data-file"] = draft.path(OLD)


def of_another_cardinality(draft: Draft, place: int, metadata: Record) -> None:
    if place == NEW:
        metadata["properties"]["cardinality"] = "7"


def footer_shifted(draft: Draft) -> None:
    """The vector of NEW lies where the manifest says, and not where the footer says."""

    def change(draft: Draft, file: Record) -> None:
        where, offset = draft.mirror.file(file["file_path"]), f'"offset": {file["content_offset"]}'.encode()
        content = where.read_bytes()
        where.write_bytes(content.replace(offset, offset[:-1] + b"9"))

    of_vector(draft, change)


def dangling(draft: Draft) -> None:
    """The vector of NEW is of a file that is not live, by its blob too."""
    rewritten(draft, told=lambda draft, place, metadata: _gone(place, metadata))
    of_vector(draft, lambda draft, file: file.update(referenced_data_file=GONE))


def _gone(place: int, metadata: Record) -> None:
    if place == NEW:
        metadata["properties"]["referenced-data-file"] = GONE


def doubled(draft: Draft) -> None:
    """The vector of NEW is listed twice."""

    def twice(entries: list[Record]) -> None:
        entries += [entry for entry in entries if entry["data_file"]["referenced_data_file"] == draft.path(NEW)]

    deletes.change_deletes(draft, twice)


def added_now(draft: Draft) -> None:
    """The position delete file is one of the current snapshot, of format version 3."""
    id = current_snapshot(draft.metadata())["snapshot-id"]

    def each(entries: list[Record]) -> None:
        for entry in entries:
            if entry["data_file"]["file_format"] == "PARQUET":
                entry["snapshot_id"] = id

    deletes.change_deletes(draft, each)


def _faults() -> Iterator[Fault]:
    for words, change, breaks, places in (
        ("vector a byte further", shifted, PLACE, (NEW,)),
        ("vector a byte too short", cut, PLACE, (NEW,)),
        ("vector in no place", nowhere, PLACE, (NEW,)),
        ("vector of no file", of_no_file, {"vectors_name_their_files": UNREADABLE}, ()),
        ("vector of one position more", one_more, {"delete_counts_are_exact": UNREADABLE}, (NEW,)),
        ("vector in another partition", elsewhere, {"deletes_apply_to_their_files": STALE}, (NEW,)),
    ):
        yield Fault(words, VECTORS, partial(of_vector, change=change), breaks, places)
    older = {"vectors_hold_older_deletes": STALE}
    for words, spoil, breaks, places in (
        ("footer of another offset", footer_shifted, {"vectors_are_where_the_footer_has_them": COSMETIC}, (NEW,)),
        (
            "blob of another file",
            partial(rewritten, told=of_another_file),
            {"vectors_name_their_files": STALE},
            (NEW,),
        ),
        (
            "blob of another cardinality",
            partial(rewritten, told=of_another_cardinality),
            {"vectors_have_their_cardinality": COSMETIC},
            (NEW,),
        ),
        ("vector of a file that is not live", dangling, {"vectors_are_of_live_files": COSMETIC}, ()),
        ("two vectors of a file", doubled, {"vectors_are_one_a_file": UNREADABLE}, (NEW,)),
        ("vector without an older delete", partial(rewritten, held={OLD: [1, 5], NEW: [0, 2]}), older, (OLD,)),
        (
            "position delete file added in version 3",
            added_now,
            {"no_position_deletes_are_added_in_version_3": COSMETIC},
            (OLD,),
        ),
    ):
        yield Fault(words, VECTORS, spoil, breaks, places)


FAULTS = tuple(_faults())
