"""What claims about snapshots, manifest lists and data files let pass, and how grave their findings are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tables import deletes
from tests.tables.draft import HEALTHY, Draft, Record, current_snapshot
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.conftest import DraftOf, TableOf
from xtable_audit.claims import CLAIMS, data_files, manifests, snapshots
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.formats.iceberg.snapshot_summary import ADDED, REMOVED, TOTALS
from xtable_audit.model.finding import Verdict

HALF_A_MINUTE = 30_000


def broken(draft: Draft) -> dict[str, Verdict]:
    case = draft.case()
    return {id: found[0].verdict or claim.breaks for id, claim in CLAIMS.items() if (found := claim.deviations(case))}


def applies(claim: TableClaim, draft: Draft) -> bool:
    return claim.lacks(draft.case()) is None


def test_a_clock_half_a_minute_behind_is_no_fault(draft_of: DraftOf) -> None:
    draft = draft_of("history")

    def behind(metadata: Record) -> None:
        metadata["snapshot-log"][1]["timestamp-ms"] = metadata["snapshot-log"][0]["timestamp-ms"] - HALF_A_MINUTE
        metadata["last-updated-ms"] -= HALF_A_MINUTE

    draft.change_metadata(behind)
    assert broken(draft) == {}


def test_an_expired_parent_is_no_fault(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    draft.change_metadata(lambda metadata: current_snapshot(metadata).update({"parent-snapshot-id": 77}))
    assert broken(draft) == {}


def test_a_snapshot_without_a_schema_id_is_nothing_to_compare(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    draft.change_metadata(lambda metadata: [one.pop("schema-id") for one in metadata["snapshots"]])
    assert not applies(snapshots.snapshots_name_schemas, draft)


@pytest.mark.parametrize(
    ("names", "claim"),
    [
        (TOTALS, snapshots.totals_are_those_of_the_manifests),
        (ADDED + REMOVED, snapshots.changes_are_those_of_the_manifests),
    ],
    ids=["totals", "changes"],
)
def test_a_summary_without_them_is_nothing_to_compare(
    draft_of: DraftOf, names: tuple[str, ...], claim: TableClaim
) -> None:
    draft = draft_of("typed")

    def without(metadata: Record) -> None:
        for name in names:
            current_snapshot(metadata)["summary"].pop(name, None)

    draft.change_metadata(without)
    assert (applies(claim, draft), broken(draft)) == (False, {})


def test_additions_that_no_entry_shows_are_nothing_to_compare(draft_of: DraftOf) -> None:
    draft = draft_of("native_iceberg")

    def existing(entries: list[Record]) -> None:
        for entry in entries:
            entry |= {"status": 0, "sequence_number": 1}

    draft.change_entries(0, existing)
    assert (applies(snapshots.changes_are_those_of_the_manifests, draft), broken(draft)) == (False, {})


def test_an_entry_without_a_snapshot_id_inherits_its_manifests(draft_of: DraftOf) -> None:
    draft = draft_of("native_iceberg")

    def inherits(entries: list[Record]) -> None:
        for entry in entries:
            entry["snapshot_id"] = None

    draft.change_entries(0, inherits)
    mutate.set_summary_field(draft, "added-data-files")
    assert broken(draft) == {"changes_are_those_of_the_manifests": Verdict.COSMETIC}


def test_a_file_that_was_listed_twice_is_removed_once(draft_of: DraftOf) -> None:
    draft = draft_of("native_iceberg")

    def removed_twice(entries: list[Record]) -> None:
        gone = next(entry for entry in entries if entry["data_file"]["file_path"] == draft.path(1))
        gone["status"] = 2
        entries.append(gone)

    draft.change_entries(1, removed_twice)
    draft.change_metadata(lambda metadata: current_snapshot(metadata)["summary"].update({"deleted-data-files": "1"}))
    assert snapshots.changes_are_those_of_the_manifests.deviations(draft.case()) == []
    draft.change_metadata(lambda metadata: current_snapshot(metadata)["summary"].update({"deleted-data-files": "2"}))
    assert len(snapshots.changes_are_those_of_the_manifests.deviations(draft.case())) == 1


@pytest.mark.parametrize("content", ["position", "equality"])
def test_totals_of_delete_files_are_compared(draft_of: DraftOf, content: str) -> None:
    draft = draft_of("typed")
    if content == "position":
        deletes.delete_rows(draft, 1, "PARQUET", [1])
    else:
        deletes.delete_values(draft, 1, "PARQUET", "long", [1])
    assert broken(draft) == {}
    mutate.set_summary_field(draft, f"total-{content}-deletes")
    assert broken(draft) == {"totals_are_those_of_the_manifests": Verdict.COSMETIC}


def test_no_reader_counts_rows_by_metadata_beside_delete_files(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    deletes.delete_rows(draft, 1, "PARQUET", [1])
    mutate.set_summary_field(draft, "total-records")
    draft.change_manifests(lambda records: records[0].update(added_rows_count=0))
    assert broken(draft) == dict.fromkeys(
        ("totals_are_those_of_the_manifests", "manifest_counts_are_exact"), Verdict.COSMETIC
    )


def test_a_total_that_hides_deletes_is_unsound(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    deletes.delete_rows(draft, 1, "PARQUET", [1])
    draft.change_metadata(
        lambda metadata: current_snapshot(metadata)["summary"].update({"total-position-deletes": "0"})
    )
    assert broken(draft) == {"totals_are_those_of_the_manifests": Verdict.UNSOUND}


def of_the_deletes(draft: Draft, change: Callable[[Record], object]) -> None:
    def each(manifests: list[Record]) -> None:
        for one in manifests:
            if one["content"] == 1:
                change(one)

    draft.change_manifests(each)


def test_a_sequence_number_that_decides_on_deletes_is_unsound(draft_of: DraftOf) -> None:
    """A delete file older than its snapshot applies to fewer data files."""
    draft = draft_of("typed")
    deletes.delete_values(draft, 1, "PARQUET", "long", [1])
    of_the_deletes(draft, lambda manifest: manifest.update(sequence_number=1))
    assert broken(draft) == {"sequence_numbers_are_those_of_snapshots": Verdict.UNSOUND}


def test_a_manifest_of_an_expired_snapshot_is_no_newer_than_the_current_one(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    draft.change_manifests(lambda records: records[0].update(added_snapshot_id=77, sequence_number=9))
    assert broken(draft) == {"sequence_numbers_are_those_of_snapshots": Verdict.COSMETIC}


def test_column_sizes_need_not_be_exact(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    draft.put(1, "column_sizes", "int", 1)
    assert broken(draft) == {}


@pytest.mark.parametrize(("begins", "breaks"), [(b"PARE", True), (b"what", False)], ids=["encrypted", "unknown"])
def test_a_format_is_told_by_the_first_bytes(draft_of: DraftOf, begins: bytes, breaks: bool) -> None:
    draft = draft_of("typed")
    draft.change_file(1, lambda file: file.update(file_format="ORC"))
    file = draft.mirror.file(draft.path(1))
    file.write_bytes(begins + file.read_bytes()[len(begins) :])
    draft.values_changed = True
    expected = {"formats_are_those_of_the_files": Verdict.UNREADABLE} if breaks else {}
    assert broken(draft) == expected


@pytest.mark.parametrize("id", HEALTHY)
def test_the_claims_apply_to_a_healthy_table(table_of: TableOf, id: str) -> None:
    case = table_of(id).case
    assert [one.id for one in EVERYWHERE if one.lacks(case) is not None] == []


EVERYWHERE = (
    data_files.formats_are_those_of_the_files,
    data_files.column_sizes_fit_the_file,
    manifests.manifest_counts_are_exact,
    manifests.manifest_lengths_are_exact,
    manifests.sequence_numbers_are_those_of_snapshots,
    snapshots.references_name_snapshots,
    snapshots.times_are_in_order,
    snapshots.sequence_numbers_grow,
    snapshots.totals_are_those_of_the_manifests,
    snapshots.changes_are_those_of_the_manifests,
)
