"""Faults of row ids: ids that two rows have, or that the next commit assigns again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tests.audit.draft import Draft, Record, current_snapshot
from tests.audit.fault import Fault
from tests.audit.faults_of_metadata_json import TYPES
from tests.audit.healthy_deletes import VECTORS
from tests.audit.vectors import ROW_IDS, hold_lineage
from xtable_audit.model.finding import Verdict

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


def _faults() -> Iterator[Fault]:
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


FAULTS = tuple(_faults())
