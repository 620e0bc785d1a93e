"""Faults of what format version 3 adds: deletion vectors and row ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from tests.tables import deletes
from tests.tables.deletes import ROW_IDS, hold_lineage
from tests.tables.draft import Draft, Fault, Record, current_snapshot
from tests.tables.healthy_deletes import NEW, OLD, VECTORS
from tests.xtable_audit.claims.faults_beside import elsewhere
from tests.xtable_audit.claims.faults_of_metadata_json import TYPES
from xtable_audit.model.finding import Verdict

# Faults of deletion vectors: where they lie, which data file they are of, and which positions they hold.

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


def rewritten(
    draft: Draft, held: dict[int, Sequence[int]] = HELD, told: Callable[[Draft, int, Record], None] | None = None
) -> None:
    """Another Puffin file in the same place. `told` changes the footer's word of the vector of a place."""
    blobs = [deletes.of_vector(draft.path(place), positions) for place, positions in held.items()]
    for place, (metadata, _) in zip(held, blobs, strict=True):
        if told is not None:
            told(draft, place, metadata)
    paths = {draft.path(place): number for number, place in enumerate(held)}
    positions = list(held.values())

    def each(entries: list[Record]) -> None:
        for file in (entry["data_file"] for entry in entries):
            if file["file_format"] == "PUFFIN":
                where = draft.mirror.file(file["file_path"])
                places = deletes.write_puffin(where, blobs)
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


# Faults of row ids: ids that two rows have, or that the next commit assigns again.

EVERY = (0, 1, 2)
LAST = 2
NEXT, UNIQUE = {"next_row_id_is_higher": Verdict.UNSOUND}, {"row_ids_are_unique": Verdict.UNSOUND}


def of_files(draft: Draft, first: Callable[[int], int | None]) -> None:
    """Each file with its own first_row_id."""

    def each(entries: list[Record]) -> None:
        for place, entry in enumerate(entries):
            entry["data_file"]["first_row_id"] = first(place)

    draft.change_entries(0, each)


def of_manifests(draft: Draft, content: int, value: int | None) -> None:
    def each(manifests: list[Record]) -> None:
        for listed in manifests:
            if listed["content"] == content:
                listed["first_row_id"] = value

    draft.change_manifests(each)


def one_lower(metadata: Record) -> None:
    metadata["next-row-id"] -= 1


def without(metadata: Record) -> None:
    del metadata["next-row-id"]


def one_added_less(metadata: Record) -> None:
    current_snapshot(metadata)["added-rows"] -= 1


def older_snapshot(draft: Draft, first: int) -> None:
    """A snapshot before the current one, with this first-row-id."""

    def change(metadata: Record) -> None:
        current = current_snapshot(metadata)
        told = {"snapshot-id": 5, "sequence-number": 1, "first-row-id": first, "added-rows": 0}
        metadata["snapshots"].insert(0, current | told)

    draft.change_metadata(change)


def further_snapshot(metadata: Record) -> None:
    """A snapshot of another branch, beyond next-row-id."""
    metadata["last-sequence-number"] += 1
    told = {"snapshot-id": 6, "sequence-number": metadata["last-sequence-number"]}
    rows = {"first-row-id": metadata["next-row-id"] + 1, "added-rows": 0}
    metadata["snapshots"].append(current_snapshot(metadata) | told | rows)


def as_if_by(draft: Draft, first: int) -> None:
    """The manifest of the data files is one of the current snapshot, with this first_row_id."""
    id = current_snapshot(draft.metadata())["snapshot-id"]

    def change(manifests: list[Record]) -> None:
        for listed in manifests:
            if not listed["content"]:
                sequence = current_snapshot(draft.metadata())["sequence-number"]
                listed |= {"added_snapshot_id": id, "first_row_id": first, "sequence_number": sequence}

    draft.change_manifests(change)


def _of_row_ids() -> Iterator[Fault]:
    held, newer = (
        {"held_row_ids_are_assigned": Verdict.UNSOUND},
        {"rows_are_no_newer_than_their_file": Verdict.COSMETIC},
    )
    for words, ids, updated, breaks in (
        ("a row of the next-row-id", lambda row, end: end - row, 1, held),
        ("a row of a negative id", lambda row, end: row - 1, 1, held),
        ("rows updated after their commit", lambda row, end: row, 99, newer),
        ("rows updated before the first commit", lambda row, end: row, -1, newer),
    ):
        yield Fault(words, VECTORS, partial(hold_lineage, ids=ids, updated=updated), breaks, (0,))
    turn = {"snapshots_take_row_ids_in_turn": Verdict.UNSOUND}
    first = {"manifests_take_their_snapshots_row_ids": Verdict.UNSOUND}
    missing = {"manifests_have_first_row_ids": Verdict.FAILED_SILENTLY}
    of_deletes = {"manifests_have_first_row_ids": Verdict.COSMETIC}
    added = {"added_rows_cover_the_assigned_ones": Verdict.COSMETIC}
    metadata: list[tuple[str, Callable[[Record], object], dict[str, Verdict], tuple[int, ...]]] = [
        ("next-row-id one too low", one_lower, NEXT, (LAST,)),
        ("no next-row-id", without, NEXT | TYPES, EVERY),
        ("added-rows one too few", one_added_less, added, ()),
        ("snapshot beyond next-row-id", further_snapshot, turn, ()),
    ]
    for words, change, breaks, places in metadata:
        yield Fault(words, VECTORS, partial(Draft.change_metadata, change=change), breaks, places)
    for words, spoil, breaks, places in (
        ("files of the same row ids", partial(of_files, first=lambda place: ROW_IDS), UNIQUE, EVERY),
        ("a file with the last row id of another", partial(of_files, first=lambda place: 5 * place), UNIQUE, EVERY),
        ("data manifest without a first_row_id", partial(of_manifests, content=0, value=None), missing, EVERY),
        ("delete manifest with a first_row_id", partial(of_manifests, content=1, value=7), of_deletes, ()),
        ("snapshot with a lower first-row-id than before", partial(older_snapshot, first=ROW_IDS + 1), turn, ()),
        ("manifest of row ids before its snapshot", partial(as_if_by, first=ROW_IDS - 1), first, EVERY),
    ):
        yield Fault(words, VECTORS, spoil, breaks, places)


ROW_ID_FAULTS = tuple(_of_row_ids())
