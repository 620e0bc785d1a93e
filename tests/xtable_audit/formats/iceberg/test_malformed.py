"""Nothing that cannot be read as the table's own passes in silence, and malformed input ends in one sentence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any

import pytest

from tests.of_each import of_each
from tests.tables.draft import XTABLE, Draft, Record, current_snapshot, write_records
from tests.xtable_audit.conftest import DraftOf, TableOf, broken
from tests.xtable_audit.formats.iceberg import malform
from tests.xtable_audit.formats.iceberg.malform import (
    NOT_ICEBERG,
    Malform,
    cut,
    data_of,
    flipped,
    holding,
    list_of,
    manifest_at,
    manifest_list_at,
    manifest_of,
    metadata_json,
    metadata_of,
    missing,
    swapped,
    undeflatable,
)
from xtable_audit.model.malformed import Malformed

LENGTHS = {
    "nothing": lambda size: 0,
    "1 byte": lambda size: 1,
    "4 bytes": lambda size: 4,
    "100 bytes": lambda size: 100,
    "a third": lambda size: size // 3,
    "half": lambda size: size // 2,
    "all but the last block's end": lambda size: size - 16,
    "all but 17 bytes": lambda size: size - 17,
    "all but 200 bytes": lambda size: size - 200,
    "all but one byte": lambda size: size - 1,
}
FILES = {"metadata.json": metadata_of, "manifest list": list_of, "manifest": manifest_of, "data file": data_of}
UNDECODABLE_DATA: dict[str, Malform] = {
    "int column of words": malform.retyped,
    "int column of structs": malform.nested,
}


def identified_by(id: int) -> Callable[[dict[str, Any]], object]:
    """PyIceberg and Iceberg's Java refuse such a schema, and so does the judge."""
    return lambda metadata: [schema.update({"identifier-field-ids": [id]}) for schema in metadata["schemas"]]


UNREADABLE: dict[str, Malform] = {
    **{f"{name} cut to {words}": cut(which, keep) for name, which in FILES.items() for words, keep in LENGTHS.items()},
    **{f"{name} of text": holding(which, b"not what it should be\n" * 50) for name, which in FILES.items()},
    **{f"{name} of zeroes": holding(which, bytes(5000)) for name, which in FILES.items()},
    **{f"{name} missing": missing(which) for name, which in FILES.items() if name != "data file"},
    "metadata.json of other JSON": holding(metadata_of, NOT_ICEBERG),
    "metadata.json of a JSON list": holding(metadata_of, b"[1, 2, 3]"),
    "metadata.json of null": holding(metadata_of, b"null"),
    "metadata.json of no UTF-8": holding(metadata_of, b'{"format-version": "\xff"}'),
    "metadata.json of format version 9": metadata_json(lambda m: m.update({"format-version": 9})),
    "metadata.json without schemas": metadata_json(lambda m: m.pop("schemas")),
    "metadata.json with an unknown current schema": metadata_json(lambda m: m.update({"current-schema-id": 77})),
    "metadata.json with an unknown default spec": metadata_json(lambda m: m.update({"default-spec-id": 77})),
    "metadata.json with an unknown default sort order": metadata_json(
        lambda m: m.update({"default-sort-order-id": 77})
    ),
    "metadata.json with an unknown current snapshot": metadata_json(lambda m: m.update({"current-snapshot-id": 77})),
    "metadata.json with a spec of an unknown column": metadata_json(
        lambda m: [spec["fields"] and spec["fields"][0].update({"source-id": 777}) for spec in m["partition-specs"]]
    ),
    "metadata.json whose identifier column is optional": metadata_json(identified_by(1)),
    "metadata.json whose identifier column is not there": metadata_json(identified_by(777)),
    "manifest whose tuples do not fit the spec": malform.other_tuples,
    "manifest list path of nowhere": manifest_list_at("s3://xtable-audit/nowhere/snap-1.avro"),
    "manifest list path of another bucket": manifest_list_at("s3://another/nowhere/snap-1.avro"),
    "manifest list path on local disk": manifest_list_at("file:///nowhere/snap-1.avro"),
    "manifest list path of a folder": manifest_list_at("s3://xtable-audit/recorded"),
    "manifest list path empty": manifest_list_at(""),
    "manifest path of nowhere": manifest_at("s3://xtable-audit/nowhere/m0.avro"),
    "manifest list swapped for a manifest": swapped(list_of, manifest_of),
    "manifest swapped for the manifest list": swapped(manifest_of, list_of),
    "manifest swapped for a data file": swapped(manifest_of, data_of),
    "manifest with a spoilt sync marker": flipped(manifest_of, lambda content: -1),
    "manifest with a spoilt header": flipped(manifest_of, lambda content: content.index(b"manifest_entry") - 8),
    "manifest with a spoilt block": undeflatable(manifest_of),
    "manifest list with a spoilt block": undeflatable(list_of),
    "data file swapped for metadata.json": swapped(data_of, metadata_of),
    "data file with a spoilt footer": flipped(data_of, lambda content: -40),
}


# Malformed input ends in one sentence that names the file: never another exception, never a silent pass.


@of_each("spoil", UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_file_is_named(draft_of: DraftOf, spoil: Malform) -> None:
    draft = draft_of(XTABLE)
    uri = spoil(draft)
    with pytest.raises(Malformed) as raised:
        draft.case()
    assert raised.value.location == uri
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("spoil", UNDECODABLE_DATA.values(), ids=UNDECODABLE_DATA.keys())
def test_undecodable_value_names_its_file(draft_of: DraftOf, spoil: Malform) -> None:
    draft = draft_of("typed")
    uri = spoil(draft)
    with pytest.raises(Malformed) as raised:
        draft.case()
    assert raised.value.location == uri
    assert "\n" not in str(raised.value)


# What can be read and is not the table's own still raises a finding: nothing passes in silence.


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
    nothing: Record = {"current-snapshot-id": None, "snapshots": [], "snapshot-log": [], "refs": {}}
    draft.change_metadata(lambda metadata: metadata.update(nothing))


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
