"""The mutation kit: each function puts one fault into a draft's metadata. `place` is a file, `column` a leaf column."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from typing import Any, Protocol

from tests.tables.draft import Draft, Raw, Record, current_snapshot, read_records, write_records
from tests.tables.typed import down, up
from xtable_audit.formats.iceberg.columns import type_of


class OfFile(Protocol):
    def __call__(self, draft: Draft, place: int) -> None: ...


class OfColumn(Protocol):
    def __call__(self, draft: Draft, place: int, column: str) -> None: ...


def actual(draft: Draft, place: int, column: str, name: str) -> Any:
    """What the healthy file's values say: min, max or a count."""
    return draft.table.case.actual.columns[column][name][place].as_py()


def stored(draft: Draft, place: int, column: str, name: str) -> Any:
    """What the healthy metadata says: lower, upper or a count."""
    return draft.table.case.stored.columns[column][name][place].as_py()


# bounds


def raise_lower(draft: Draft, place: int, column: str) -> None:
    """Lower bound one unit above the smallest value."""
    draft.put(place, "lower_bounds", column, up(actual(draft, place, column, "min"), type_of(draft.leaf(column))))


def lower_upper(draft: Draft, place: int, column: str) -> None:
    """Upper bound one unit below the largest value."""
    draft.put(place, "upper_bounds", column, down(actual(draft, place, column, "max"), type_of(draft.leaf(column))))


def lower_lower(draft: Draft, place: int, column: str) -> None:
    """Lower bound one unit below what it was."""
    draft.put(place, "lower_bounds", column, down(stored(draft, place, column, "lower"), type_of(draft.leaf(column))))


def raise_upper(draft: Draft, place: int, column: str) -> None:
    """Upper bound one unit above what it was."""
    draft.put(place, "upper_bounds", column, up(stored(draft, place, column, "upper"), type_of(draft.leaf(column))))


def widen(draft: Draft, place: int, column: str) -> None:
    """Bounds that span the whole table."""
    metrics = draft.table.case.actual.columns[column].to_pylist()
    draft.put(place, "lower_bounds", column, min(row["min"] for row in metrics))
    draft.put(place, "upper_bounds", column, max(row["max"] for row in metrics))


def drop_lower(draft: Draft, place: int, column: str) -> None:
    """No lower bound."""
    draft.put(place, "lower_bounds", column, None)


def drop_upper(draft: Draft, place: int, column: str) -> None:
    """No upper bound."""
    draft.put(place, "upper_bounds", column, None)


def drop_bounds(draft: Draft, place: int, column: str) -> None:
    """Neither bound."""
    drop_lower(draft, place, column)
    drop_upper(draft, place, column)


def set_bytes(draft: Draft, place: int, column: str, content: bytes) -> None:
    """A lower bound of these bytes."""
    draft.put(place, "lower_bounds", column, Raw(content))


# counts


def set_count(name: str, value: Callable[[dict[str, int]], int | None]) -> OfColumn:
    """A mutation that sets a count (`null`, `value`, `nan`) from the true ones."""

    def mutation(draft: Draft, place: int, column: str) -> None:
        counts = draft.table.case.actual.columns[column].select(["value_count", "null_count", "nan_count"])
        draft.put(place, COUNTS[name], column, value(counts.to_pylist()[place]))

    return mutation


COUNTS = {"value": "value_counts", "null": "null_value_counts", "nan": "nan_value_counts"}


def set_field(name: str, value: Callable[[int], int]) -> OfFile:
    """A mutation that sets a number of the data file itself, from what it was."""

    def mutation(draft: Draft, place: int) -> None:
        draft.change_file(place, lambda file: file.update({name: value(file[name])}))

    return mutation


# partition


def swap_tuples(draft: Draft, one: int, other: int) -> None:
    """Two files with each other's partition tuples."""
    uri, paths = draft.manifest_of(one), (draft.path(one), draft.path(other))
    tuples = [_entry(read_records(draft.mirror.file(uri)), path)["data_file"]["partition"] for path in paths]
    draft.change_file(one, lambda file: file.update(partition=tuples[1]))
    draft.change_file(other, lambda file: file.update(partition=tuples[0]))


def set_tuple(draft: Draft, place: int, value: Any) -> None:
    """Another value in the partition tuple, in every field."""
    draft.change_file(place, lambda file: file.update(partition=dict.fromkeys(file["partition"], value)))


def set_spec(draft: Draft, fields: Callable[[list[Record]], list[Record]]) -> None:
    """Other fields in the table's own partition spec."""

    def change(metadata: Record) -> None:
        for spec in metadata["partition-specs"]:
            if spec["spec-id"] == metadata["default-spec-id"]:
                spec["fields"] = fields(spec["fields"])
                ids = [metadata["last-partition-id"], *(field["field-id"] for field in spec["fields"])]
                metadata["last-partition-id"] = max(ids)

    draft.change_metadata(change)
    draft.headers_follow()


def spec_of_manifest(draft: Draft, place: int) -> None:
    """The manifest that holds the file written under an unpartitioned spec."""
    uri, spare = draft.manifest_of(place), 99

    def add_spec(metadata: Record) -> None:
        metadata["partition-specs"].append({"spec-id": spare, "fields": []})

    def relabel(manifests: list[Record]) -> None:
        next(m for m in manifests if m["manifest_path"] == uri)["partition_spec_id"] = spare

    draft.change_metadata(add_spec)
    draft.change_manifests(relabel)
    draft.headers_follow()


def set_summary(draft: Draft, place: int, **changed: Any) -> None:
    """Another partition summary of the manifest that holds the file, in every field."""
    uri = draft.manifest_of(place)

    def change(manifests: list[Record]) -> None:
        for manifest in manifests:
            if manifest["manifest_path"] == uri:
                for summary in manifest["partitions"]:
                    summary.update(changed)

    draft.change_manifests(change)


# snapshots


def set_summary_field(draft: Draft, name: str) -> None:
    """A number in the summary of the current snapshot, one too high."""

    def change(metadata: Record) -> None:
        summary = current_snapshot(metadata)["summary"]
        summary[name] = str(int(summary[name]) + 1)

    draft.change_metadata(change)


# files


def drop_file(draft: Draft, place: int, *, listed: bool = True) -> None:
    """No entry for the file; `listed`: whether the manifest list has the new counts."""
    path = draft.path(place)

    def without(entries: list[Record]) -> None:
        entries[:] = [entry for entry in entries if entry["data_file"]["file_path"] != path]

    draft.change_entries(place, without, counts_follow=listed)


def double_file(draft: Draft, place: int) -> None:
    """Two entries for the file in one manifest, the second at the end."""
    draft.change_entries(place, lambda entries: entries.append(copy.deepcopy(_entry(entries, draft.path(place)))))


def double_across_manifests(draft: Draft, place: int) -> None:
    """A second manifest with an entry for the file."""
    uri = draft.manifest_of(place)
    second = uri.replace(".avro", "-second.avro")
    shutil.copyfile(draft.mirror.file(uri), draft.mirror.file(second))
    entries = [_entry(read_records(draft.mirror.file(uri)), draft.path(place))]
    write_records(draft.mirror.file(second), entries)

    def add(manifests: list[Record]) -> None:
        like = next(m for m in manifests if m["manifest_path"] == uri)
        manifests.append(like | {"manifest_path": second})
        draft.count_manifests(manifests)

    draft.change_manifests(add)
    draft.sum_up()


def list_stale_file(draft: Draft, place: int) -> None:
    """One more entry, for an older copy of the file that the source no longer counts as its own."""
    path = draft.path(place)
    stale = path.replace(".parquet", "-stale.parquet")
    shutil.copyfile(draft.mirror.file(path), draft.mirror.file(stale))
    draft.values_changed = True

    def add(entries: list[Record]) -> None:
        entry = copy.deepcopy(_entry(entries, path))
        entry["data_file"]["file_path"] = stale
        entries.append(entry)

    draft.change_entries(place, add)


def delete_object(draft: Draft, place: int) -> None:
    """The data file gone from the store."""
    draft.mirror.file(draft.path(place)).unlink()
    draft.values_changed = True


def _entry(entries: list[Record], path: str) -> Record:
    return next(entry for entry in entries if entry["data_file"]["file_path"] == path)
