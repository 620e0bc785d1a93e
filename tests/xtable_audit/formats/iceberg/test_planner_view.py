"""Kept plans hold for what planners read: any single change is another key, unless it is of an id or a time."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fastavro
import pytest

from tests.tables.draft import Draft, Record, change_header, current_snapshot, header_of, read_records, write_records
from tests.tables.healthy import recorded
from tests.tables.mirror import Mirror
from tests.xtable_audit.conftest import DraftOf, TableOf
from xtable_audit.formats.iceberg.planner_view import as_planned
from xtable_audit.model.objects import Objects

ID = "good_layout-0.4.0-incubating"
OF_FILE = 2
"""Id of the field `data_file`."""
Place = tuple[str | int, ...]
"""Keys and places on the way to a value."""


@pytest.fixture
def draft(draft_of: DraftOf) -> Draft:
    return draft_of(ID)


def said(draft: Draft) -> str | None:
    return as_planned(Objects(draft.mirror.objects.filesystem), draft.table.case.stored)


def test_two_releases_that_say_the_same_of_a_source_share_their_plans(tmp_path: Path) -> None:
    """They number schemas and specs otherwise, and the newer one has more fields in its manifests."""
    releases = ("0.3.0-incubating", "0.4.0-incubating")
    tables = (recorded(Mirror(tmp_path / release), "good_layout", release) for release in releases)
    one, other = (as_planned(table.mirror.objects, table.case.stored) for table in tables)
    assert one is not None
    assert one == other


def test_the_bytes_decide_where_there_are_deletes(table_of: TableOf) -> None:
    table = table_of("deleted")
    assert as_planned(table.mirror.objects, table.case.stored) is None


def leaves(value: Any, place: Place = ()) -> Iterator[Place]:
    """Where the values are that hold no others."""
    match value:
        case dict():
            for name in value:
                yield from leaves(value[name], (*place, name))
        case list():
            for number, one in enumerate(value):
                yield from leaves(one, (*place, number))
        case None:
            return
        case _:
            yield place


def changed(value: Any, place: Place) -> Any:
    """A copy with another value of the same type in this place."""
    if not place:
        return (not value) if isinstance(value, bool) else value + (b"\0" if isinstance(value, bytes) else _more(value))
    whole = copy.copy(value)
    whole[place[0]] = changed(value[place[0]], place[1:])
    return whole


def _more(value: Any) -> Any:
    return "x" if isinstance(value, str) else 1


def unnoticed(draft: Draft, whole: Any, put: Callable[[Any], object]) -> set[str]:
    """The names of the values of which another one is the same to planners; each is changed alone."""
    put(whole)
    before, same = said(draft), set()
    assert before is not None
    for place in leaves(whole):
        put(changed(whole, place))
        if said(draft) == before:
            same.add(".".join(str(step) for step in place if isinstance(step, str)))
    put(whole)
    assert said(draft) == before
    return same


def test_in_metadata_json_only_ids_times_and_other_snapshots_may_differ(draft_of: DraftOf) -> None:
    draft = draft_of("history")
    file = draft.mirror.file(draft.table.metadata_location)
    same = unnoticed(draft, draft.metadata(), lambda whole: file.write_text(json.dumps(whole), encoding="utf-8"))
    assert {name for name in same if not name.startswith("snapshots.")} == {
        *("table-uuid", "last-updated-ms", "last-sequence-number"),
        *("snapshot-log.timestamp-ms", "snapshot-log.snapshot-id"),
        *("metadata-log.timestamp-ms", "metadata-log.metadata-file", "properties.XTABLE_METADATA"),
    }
    assert {name.split(".")[1] for name in same if name.startswith("snapshots.")} == {
        *("snapshot-id", "parent-snapshot-id", "sequence-number", "timestamp-ms", "summary", "manifest-list"),
        "schema-id",
    }


def test_of_the_current_snapshot_only_ids_times_and_the_summary_may_differ(draft_of: DraftOf) -> None:
    draft = draft_of("history")
    metadata = draft.metadata()
    place = metadata["snapshots"].index(current_snapshot(metadata))

    def put(snapshot: Record) -> None:
        draft.change_metadata(lambda metadata: metadata["snapshots"].__setitem__(place, snapshot))

    same = unnoticed(draft, current_snapshot(draft.metadata()), put)
    assert {name for name in same if not name.startswith("summary.")} == {"parent-snapshot-id", "timestamp-ms"}
    assert "summary.operation" not in same


def test_in_the_manifest_list_only_ids_may_differ(draft: Draft) -> None:
    file = draft.mirror.file(draft.manifest_list)
    same = unnoticed(draft, draft.manifests(), lambda records: write_records(file, records))
    assert same == {"sequence_number", "min_sequence_number", "added_snapshot_id"}


def put_manifest(draft: Draft, write: Callable[[Path], object]) -> None:
    """Writes the manifest of the first file; of the list, only the length follows."""
    uri = draft.manifest_of(0)
    write(draft.mirror.file(uri))

    def follow(manifests: list[Record]) -> None:
        [listed] = [one for one in manifests if one["manifest_path"] == uri]
        listed["manifest_length"] = draft.mirror.file(uri).stat().st_size

    draft.change_manifests(follow)


def test_in_a_manifest_only_ids_may_differ(draft: Draft) -> None:
    first, *others = read_records(draft.mirror.file(draft.manifest_of(0)))

    def put(entry: Record) -> None:
        put_manifest(draft, lambda file: write_records(file, [entry, *others]))

    assert {*leaves(first)} > {("data_file", "partition", "pickup_month"), ("data_file", "lower_bounds", 0, "value")}
    assert unnoticed(draft, first, put) == {"snapshot_id"}


def test_the_order_of_entries_and_manifests_says_nothing(draft: Draft) -> None:
    before = said(draft)
    file = draft.mirror.file(draft.manifest_of(0))
    entries = read_records(file)
    put_manifest(draft, lambda file: write_records(file, entries[::-1]))
    draft.change_manifests(lambda manifests: manifests.reverse())
    assert len(entries) > 1
    assert said(draft) == before


@pytest.mark.parametrize(
    "change",
    [lambda entries: entries[1:], lambda entries: [*entries, entries[0]]],
    ids=["one that is missing", "one that stands twice"],
)
def test_another_number_of_entries_is_another_key(draft: Draft, change: Callable[[list[Record]], list[Record]]) -> None:
    before = said(draft)
    put_manifest(draft, lambda file: write_records(file, change(read_records(file))))
    assert said(draft) != before


def test_in_headers_only_the_id_of_the_schema_may_differ(draft: Draft) -> None:
    header = header_of(draft.mirror.file(draft.manifest_of(0)))
    told = {name: header[name] for name in ("format-version", "content", "partition-spec-id")}
    parsed = {name: json.loads(header[name]) for name in ("schema", "iceberg.schema", "partition-spec")}
    for fields in (field["type"]["fields"] for field in parsed["iceberg.schema"]["fields"] if field["id"] == OF_FILE):
        fields[:] = [field for field in fields if field["name"] != "referenced_data_file"]

    def put(whole: Record) -> None:
        written = {name: value if name in told else json.dumps(value) for name, value in whole.items()}
        put_manifest(draft, lambda file: change_header(file, written))

    same = unnoticed(draft, told | parsed, put)
    assert {re.sub(r"(\.type\.fields|\.fields|\.type)+", "", name) for name in same} == {
        *("schema.schema-id", "iceberg.schema.doc"),
    }


def test_another_field_id_in_a_header_is_another_key(draft: Draft) -> None:
    file = draft.mirror.file(draft.manifest_of(0))
    records, header = read_records(file), header_of(file)
    schema = json.loads(header["avro.schema"])
    told = {name: value for name, value in header.items() if not name.startswith("avro.")}

    def put(whole: Any) -> None:
        def write(file: Path) -> None:
            with file.open("wb") as stream:
                fastavro.writer(stream, whole, records, header["avro.codec"], metadata=told)

        put_manifest(draft, write)

    put(schema)
    before = said(draft)
    ids = [place for place in leaves(schema) if str(place[-1]).endswith("-id")]
    assert len(ids) > 30
    for place in ids:
        put(changed(schema, place))
        assert said(draft) != before, place


def test_a_field_that_only_newer_writers_have_counts_where_it_has_a_value(draft: Draft) -> None:
    before = said(draft)

    def encrypt(entries: list[Record]) -> None:
        entries[0]["data_file"]["referenced_data_file"] = "s3://elsewhere"

    put_manifest(draft, lambda file: write_records(file, _with(read_records(file), encrypt)))
    assert said(draft) != before
    draft.change_manifests(lambda manifests: manifests[0].update(key_metadata=b"k"))
    assert said(draft) != before


def _with(records: list[Record], change: Callable[[list[Record]], object]) -> list[Record]:
    change(records)
    return records


@pytest.mark.parametrize(
    "spoil",
    [
        lambda metadata: metadata["snapshot-log"].insert(0, {"timestamp-ms": 1 << 60, "snapshot-id": 1}),
        lambda metadata: metadata["metadata-log"].insert(0, {"timestamp-ms": 1 << 60, "metadata-file": "v0"}),
        lambda metadata: metadata.update({"last-updated-ms": 0}),
        lambda metadata: metadata.update({"last-sequence-number": 0}),
        lambda metadata: metadata["snapshots"].append(metadata["snapshots"][0]),
        lambda metadata: metadata["snapshots"][0].update(summary={"operation": "guessed"}),
        lambda metadata: metadata["refs"].update(tag=metadata["refs"]["main"]),
        lambda metadata: metadata["schemas"].append(metadata["schemas"][0]),
    ],
    ids=[
        *("a log of snapshots out of order", "a log of metadata out of order", "a time before its log's"),
        *("a sequence number before its snapshots'", "a snapshot twice", "an unknown operation", "a tag"),
        *("a schema twice",),
    ],
)
def test_the_bytes_decide_where_a_part_is_not_as_writers_leave_it(
    draft: Draft, spoil: Callable[[Record], object]
) -> None:
    draft.change_metadata(spoil)
    assert said(draft) is None


def test_another_sync_that_says_the_same_is_the_same(draft: Draft) -> None:
    """Other snapshot ids, times, uuids, and names of files, everywhere."""
    before, metadata = said(draft), draft.metadata()
    ids = {one["snapshot-id"]: one["snapshot-id"] - 1 for one in metadata["snapshots"]}
    lists = draft.mirror.file(draft.manifest_list)
    records = draft.manifests()
    for one in records:
        file = draft.mirror.file(one["manifest_path"])
        entries = read_records(file)
        for entry in entries:
            entry["snapshot_id"] = ids.get(entry["snapshot_id"], entry["snapshot_id"])
        write_records(file, entries)
        file.rename(file.with_name(f"other-{file.name}"))
        one["manifest_path"] = "/other-".join(one["manifest_path"].rsplit("/", 1))
        one["manifest_length"] = file.with_name(f"other-{file.name}").stat().st_size
        one["added_snapshot_id"] = ids.get(one["added_snapshot_id"], one["added_snapshot_id"])
    write_records(lists, records, told={"snapshot-id": "1", "parent-snapshot-id": "2"})
    lists.rename(lists.with_name(f"other-{lists.name}"))

    def other(text: str) -> str:
        for id, another in ids.items():
            text = text.replace(str(id), str(another))
        text = text.replace("metadata/snap-", "metadata/other-snap-").replace(metadata["table-uuid"], "0" * 36)
        return re.sub(r'-ms": ?(\d+)', lambda found: f'-ms": {int(found[1]) + 7}', text)

    draft.change_text(other)
    location = json.loads(draft.mirror.file(draft.table.metadata_location).read_text())
    new_name = current_snapshot(location)["manifest-list"].rpartition("/")[2]
    lists.with_name(f"other-{lists.name}").rename(lists.with_name(new_name))
    assert said(draft) == before
