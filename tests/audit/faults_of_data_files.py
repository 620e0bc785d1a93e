"""Faults of what manifests say of a data file beside its metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tests.audit.draft import Draft
from tests.audit.fault import Fault
from tests.audit.tables import XTABLE
from xtable_audit.model.finding import Verdict

TABLES = {"typed": "int", XTABLE: "VendorID", "native_iceberg": "VendorID"}
TIMES = {"typed": "long", XTABLE: "tpep_pickup_datetime", "native_iceberg": "tpep_pickup_datetime"}
PLACE = 1
SIZES = {"column_sizes_fit_the_file": Verdict.COSMETIC}


def another_format(draft: Draft, name: str) -> None:
    draft.change_file(PLACE, lambda file: file.update(file_format=name))
    draft.values_changed = True


def another_order(draft: Draft) -> None:
    draft.change_file(PLACE, lambda file: file.update(sort_order_id=9))


def declared(draft: Draft, column: str, direction: str) -> None:
    """The file is said to be sorted by that column."""
    fields = [{"source-id": draft.leaf(column).field_id, "direction": direction}]
    told = {"order-id": 5, "fields": [one | {"transform": "identity", "null-order": "nulls-first"} for one in fields]}
    draft.change_metadata(lambda metadata: metadata["sort-orders"].append(told))
    draft.change_file(PLACE, lambda file: file.update(sort_order_id=5))
    draft.values_changed = True


def column_size(draft: Draft, column: str, size: int) -> None:
    draft.put(PLACE, "column_sizes", column, size)


def offsets(draft: Draft, change: Callable[[list[int], int], list[int]]) -> None:
    """Other split offsets, from those of the row groups and the file's size."""
    [groups] = draft.table.case.actual.files["groups"].slice(PLACE, 1).to_pylist()
    starts = [group["start"] for group in groups]
    draft.change_file(PLACE, lambda file: file.update(split_offsets=change(starts, file["file_size_in_bytes"])))


def _of(table: str, column: str) -> Iterator[Fault]:
    for name in ("ORC", "avro"):
        formats = {"formats_are_those_of_the_files": Verdict.UNREADABLE}
        yield Fault(f"Parquet file called {name}", table, partial(another_format, name=name), formats, (PLACE,))
    orders = {"sort_orders_are_those_of_the_table": Verdict.COSMETIC}
    yield Fault("file of an unknown sort order", table, another_order, orders, (PLACE,))
    unsorted = {"rows_are_in_their_sort_order": Verdict.COSMETIC}
    order = partial(declared, column=TIMES[table], direction="desc")
    yield Fault("file not in its sort order", table, order, unsorted, (PLACE,))
    for words, change, verdict in (
        ("first offset in the middle of the file", lambda starts, size: [size // 2], Verdict.UNSOUND),
        ("first offset in the footer", lambda starts, size: [size - 4], Verdict.UNSOUND),
        ("a second offset within a row group", lambda starts, size: [*starts, starts[-1] + 9], Verdict.COSMETIC),
        ("offsets that fall", lambda starts, size: [starts[0], 2, 1], Verdict.COSMETIC),
        ("an offset past the file", lambda starts, size: [*starts, size], Verdict.COSMETIC),
    ):
        breaks = {"split_offsets_reach_every_row_group": verdict}
        yield Fault(words, table, partial(offsets, change=change), breaks, (PLACE,))
    nothing = partial(column_size, column=column, size=0)
    yield Fault(f"{column} of no bytes", table, nothing, SIZES, (PLACE,), column)
    yield Fault("column larger than its file", table, partial(column_size, column=column, size=10**9), SIZES, (PLACE,))


FAULTS = tuple(fault for table, column in TABLES.items() for fault in _of(table, column))
