"""Tables that Spark wrote, each with a fault of one claim, for the advice of `check` to mend."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tests.other_writers.every_claim import Held
from tests.tables.deletes import change_deletes
from tests.tables.draft import Draft, Record
from tests.tables.healthy import Table
from tests.tables.mirror import Mirror
from tests.xtable_audit.claims import faults_beside, mutate
from xtable_audit.formats.iceberg.check.metadata_writer import ENGINES

Spoil = Callable[[Draft], None]


def put(draft: Draft, map_name: str, column: str, value: Any) -> None:
    draft.put(0, map_name, column, value)


def count(draft: Draft, name: str, column: str) -> None:
    mutate.set_count(name, lambda true: true[f"{name}_count"] + 1)(draft, 0, column)


def of_file(draft: Draft, name: str, more: int) -> None:
    mutate.set_field(name, lambda number: number + more)(draft, 0)


def another_bucket(draft: Draft) -> None:
    """The first file in another bucket of each field."""

    def change(file: Record) -> None:
        file["partition"] = {name: (value + 1) % 3 for name, value in file["partition"].items()}

    draft.change_file(0, change)


def another_order(draft: Draft) -> None:
    draft.change_file(0, lambda file: file.update(sort_order_id=7))


def declared_order(draft: Draft) -> None:
    """Every file is said to be in the table's sort order, which Spark has the rewritten ones not."""
    for place in range(len(draft.table.case.stored.paths)):
        draft.change_file(place, lambda file: file.update(sort_order_id=1))


def column_size(draft: Draft, column: str) -> None:
    draft.put(0, "column_sizes", column, 10**6)


def listed(draft: Draft, name: str) -> None:
    draft.change_manifests(lambda manifests: manifests[0].update({name: manifests[0][name] + 1}))


def without_nulls(draft: Draft) -> None:
    for place in range(len(draft.table.case.stored.paths)):
        mutate.set_summary(draft, place, contains_null=False)


def widened(draft: Draft, column: str) -> None:
    for place in range(len(draft.table.case.stored.paths)):
        mutate.widen(draft, place, column)


def lesser_zero(draft: Draft) -> None:
    """An upper bound of -0.0 where the greatest value is +0.0."""
    greatest = draft.table.case.actual.columns["zero"]["max"].to_pylist()
    place = next(place for place, value in enumerate(greatest) if value == 0 and math.copysign(1, value) > 0)
    draft.put(place, "upper_bounds", "zero", -0.0)


def longer_delete(draft: Draft) -> None:
    def change(entries: list[Record]) -> None:
        entries[0]["data_file"]["file_size_in_bytes"] += 1

    change_deletes(draft, change)


def one_delete_more(draft: Draft) -> None:
    def change(entries: list[Record]) -> None:
        entries[0]["data_file"]["record_count"] += 1

    change_deletes(draft, change)


def without_reference(draft: Draft, name: str) -> None:
    """Without its manifest list."""
    metadata = draft.metadata()
    id = metadata["refs"][name]["snapshot-id"]
    [lost] = [one for one in metadata["snapshots"] if one["snapshot-id"] == id]
    draft.mirror.file(lost["manifest-list"]).unlink()


def of_the_table(draft: Draft) -> None:
    """No statistics but those of the table, as of its current snapshot."""

    def change(metadata: Record) -> None:
        current = metadata["current-snapshot-id"]
        metadata["partition-statistics"] = []
        metadata["statistics"] = [one for one in metadata["statistics"] if one["snapshot-id"] == current]

    draft.change_metadata(change)


def statistics(draft: Draft, name: str) -> None:
    of_the_table(draft)
    faults_beside.told(draft, "statistics", partial(faults_beside.more, name=name))


def without_statistics(draft: Draft) -> None:
    of_the_table(draft)
    faults_beside.missing(draft, "statistics")


def as_it_is(draft: Draft) -> None:
    """The writer's own fault."""
    del draft


SPOILT: Mapping[str, tuple[str, Spoil]] = {
    "bounds_contain_values": ("by_bucket", partial(mutate.lower_upper, place=0, column="n")),
    "bounds_are_tight": ("dates", partial(mutate.raise_upper, place=1, column="day")),
    "points_skip_what_exact_bounds_would": ("long_strings", partial(widened, column="i")),
    "bounds_are_present": ("ints", partial(mutate.drop_bounds, place=0, column="i")),
    "bounds_are_of_the_columns_type": (
        "times_without_zone",
        partial(mutate.set_bytes, place=0, column="at", content=b"123"),
    ),
    "no_bound_is_nan": ("nan", partial(put, map_name="upper_bounds", column="d", value=float("nan"))),
    "zeros_are_in_total_order": ("float_edges", lesser_zero),
    "value_counts_are_exact": ("by_truncate", partial(count, name="value", column="n")),
    "null_counts_are_exact": ("by_period", partial(count, name="null", column="n")),
    "null_counts_are_exact in one partition": ("version_3", partial(count, name="null", column="x")),
    "nan_counts_are_exact": ("by_nan_apart", partial(count, name="nan", column="d")),
    "record_counts_are_exact": ("history_rows", partial(of_file, name="record_count", more=1)),
    "sizes_are_exact": ("strings", partial(of_file, name="file_size_in_bytes", more=1)),
    "column_sizes_fit_the_file": ("binary", partial(column_size, column="b")),
    "sort_orders_are_those_of_the_table": ("lists", another_order),
    "rows_are_in_their_sort_order": ("sorted", declared_order),
    "tuples_equal_every_row": ("history_spec", another_bucket),
    "manifest_counts_are_exact": ("emoji", partial(listed, name="added_rows_count")),
    "manifest_lengths_are_exact": ("history_schema", partial(listed, name="manifest_length")),
    "summaries_cover_every_tuple": ("by_identity", without_nulls),
    "vectors_are_of_live_files": ("row_lineage", as_it_is),
    "delete_counts_are_exact": ("deletes_by_position", one_delete_more),
    "delete_file_sizes_are_exact": ("deletes_by_position_of_file", longer_delete),
    "branches_and_tags_can_be_read": (
        "row_lineage_of_an_upgraded_table",
        partial(without_reference, name="beside"),
    ),
    "branches_and_tags_can_be_read for a tag": ("branches_and_tags", partial(without_reference, name="first")),
    "statistics_sizes_are_exact": ("statistics", partial(statistics, name="file-size-in-bytes")),
    "statistics_can_be_read": ("statistics_of_version_3", without_statistics),
}
"""By the claim that fails, and where: the table, and its fault. A table each, for Spark mends them in one lake."""


def claim_of(key: str) -> str:
    return key.partition(" ")[0]


def spoilt(held: Held, mirror: Mirror, spoil: Spoil) -> None:
    """Copies the table into `mirror`, with the fault, as if no engine had written it that tells its name."""
    root = held.location.partition("/metadata/")[0]
    shutil.copytree(held.mirror.file(root), mirror.file(root), ignore=shutil.ignore_patterns(".*.crc"))
    draft = Draft(Table(held.written.name, held.mirror, root, held.location, (), ()), mirror)
    draft.change_metadata(unnamed)
    spoil(draft)


def unnamed(metadata: Record) -> None:
    for snapshot in metadata["snapshots"]:
        for name in ENGINES:
            snapshot["summary"].pop(name, None)
