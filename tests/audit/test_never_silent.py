"""What can be read and is not the table's own still raises a finding: nothing passes in silence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

import pytest

from tests.audit.conftest import DraftOf, TableOf
from tests.audit.draft import Draft, Record, current_snapshot, write_records
from tests.audit.tables import XTABLE
from xtable_audit.claims import CLAIMS
from xtable_audit.model.malformed import Malformed


def broken(draft: Draft) -> set[str]:
    case = draft.case()
    return {id for id, claim in CLAIMS.items() if claim.deviations(case)}


def test_data_file_swapped_for_another_of_the_table_is_found(draft_of: DraftOf) -> None:
    draft = draft_of(XTABLE)
    shutil.copyfile(draft.mirror.file(draft.path(3)), draft.mirror.file(draft.path(1)))
    draft.values_changed = True
    assert broken(draft) >= {"bounds_contain_values", "record_counts_are_exact", "tuples_equal_every_row"}


def test_data_file_swapped_for_another_tables_is_found(draft_of: DraftOf, table_of: TableOf) -> None:
    """They share no column: all is null."""
    draft, theirs = draft_of("good_layout-control"), table_of("typed")
    shutil.copyfile(theirs.mirror.file(theirs.case.stored.paths[0]), draft.mirror.file(draft.path(1)))
    draft.values_changed = True
    assert broken(draft) >= {"record_counts_are_exact", "null_counts_are_exact", "sizes_are_exact"}


def test_data_file_whose_field_ids_stand_for_other_columns_is_named(draft_of: DraftOf, table_of: TableOf) -> None:
    draft, theirs = draft_of("good_layout-control"), table_of("native_iceberg")
    shutil.copyfile(theirs.mirror.file(theirs.case.stored.paths[0]), draft.mirror.file(draft.path(1)))
    draft.values_changed = True
    with pytest.raises(Malformed, match="is not the Parquet file the metadata describes"):
        draft.case()


def _no_manifest(draft: Draft) -> None:
    write_records(draft.mirror.file(draft.manifest_list), [])
    draft.sum_up()


def _no_entry(draft: Draft) -> None:
    draft.change_entries(0, list.clear)


def _no_snapshot(draft: Draft) -> None:
    draft.change_metadata(lambda m: m.update({"current-snapshot-id": None, "snapshots": [], "refs": {}}))


def _all_deleted(draft: Draft) -> None:
    def delete(entries: list[Record]) -> None:
        for entry in entries:
            entry["status"] = 2

    draft.change_entries(0, delete)
    draft.change_metadata(lambda metadata: current_snapshot(metadata)["summary"].update(operation="delete"))


EMPTY = [_no_manifest, _no_entry, _no_snapshot, _all_deleted]


@pytest.mark.parametrize("empty", EMPTY, ids=lambda f: f.__name__.strip("_"))
@pytest.mark.parametrize("id", ["typed", XTABLE, "native_iceberg"])
def test_table_without_files_breaks_one_claim(draft_of: DraftOf, id: str, empty: Callable[[Draft], None]) -> None:
    draft = draft_of(id)
    empty(draft)
    assert broken(draft) == {"no_file_is_missing"}


def test_older_metadata_of_the_table_is_found(draft_of: DraftOf) -> None:
    """XTable's first metadata.json, from before its sync wrote anything."""
    draft = draft_of(XTABLE)
    first = draft.mirror.file(draft.table.metadata_location).with_name("v1.metadata.json")
    assert json.loads(first.read_text())["snapshots"] == []
    shutil.copyfile(first, draft.mirror.file(draft.table.metadata_location))
    assert "no_file_is_missing" in broken(draft)
