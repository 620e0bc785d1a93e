"""Faults of the list of live files, and of what manifests say of each: its counts, and all beside its metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tests.tables.draft import XTABLE, Draft, Fault
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.claims.mutate import set_count
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import Compare, IsNull, Predicate

FILES = {"typed": 3, XTABLE: 4, "native_iceberg": 4}
TWICE = {"no_file_is_listed_twice": Verdict.DUPLICATE}
SIZE = {"sizes_are_exact": Verdict.FAILED_SILENTLY}
PLACE = 1
U, C = Verdict.UNSOUND, Verdict.COSMETIC
COLUMNS = {"typed": "int", XTABLE: "VendorID", "native_iceberg": "VendorID"}
TIMES = {"typed": "long", XTABLE: "tpep_pickup_datetime", "native_iceberg": "tpep_pickup_datetime"}
SIZES = {"column_sizes_fit_the_file": Verdict.COSMETIC}


def _of_list(table: str, files: int) -> Iterator[Fault]:
    place = 1
    yield Fault(
        "a file dropped",
        table,
        partial(mutate.drop_file, place=place),
        {"no_file_is_missing": Verdict.UNSOUND},
        (),
    )
    yield Fault(
        "a stale file listed",
        table,
        partial(mutate.list_stale_file, place=place),
        {"no_file_is_stale": Verdict.STALE},
        (files,),
    )
    yield Fault(
        "an object deleted",
        table,
        partial(mutate.delete_object, place=place),
        {"every_file_exists": Verdict.UNREADABLE},
        (place,),
    )
    yield Fault("a file doubled", table, partial(mutate.double_file, place=place), TWICE, (place, files))
    yield Fault(
        "a file doubled across manifests",
        table,
        partial(mutate.double_across_manifests, place=place),
        TWICE,
        (place, files),
    )
    for words, by in (("one byte too large", 1), ("one byte too small", -1)):
        spoil = partial(mutate.set_field("file_size_in_bytes", by.__add__), place=place)
        yield Fault(f"a file {words}", table, spoil, SIZE, (place,))


OF_LIST = tuple(fault for table, files in FILES.items() for fault in _of_list(table, files))


def _smallest(column: str) -> Callable[[Draft], Predicate]:
    return lambda draft: Compare(column, "=", mutate.actual(draft, PLACE, column, "min"))


def _nulls(column: str) -> Callable[[Draft], Predicate]:
    return lambda draft: IsNull(column)


def _count(
    id: str,
    count: str,
    value: Callable[[dict[str, int]], int | None],
    verdict: Verdict,
    column: str,
    loses: Callable[[str], Callable[[Draft], Predicate]] | None = None,
    table: str = "typed",
) -> Fault:
    return Fault(
        f"{id} ({column})",
        table,
        partial(set_count(count, value), place=PLACE, column=column),
        {f"{count}_counts_are_exact": verdict},
        (PLACE,),
        column,
        loses(column) if loses else None,
    )


def _everywhere(table: str, some_null: str, no_null: str) -> tuple[Fault, ...]:
    return (
        _count("null count one too high", "null", lambda n: n["null_count"] + 1, C, some_null, table=table),
        _count("null count one too low", "null", lambda n: n["null_count"] - 1, C, some_null, table=table),
        _count("null count that of all values", "null", lambda n: n["value_count"], U, no_null, _smallest, table),
        _count("null count 0 where nulls are", "null", lambda n: 0, U, some_null, _nulls, table),
        _count("null count absent", "null", lambda n: None, C, some_null, table=table),
        _count("value count one too high", "value", lambda n: n["value_count"] + 1, C, no_null, table=table),
        _count("value count one too low", "value", lambda n: n["value_count"] - 1, C, no_null, table=table),
        _count("value count that of the nulls", "value", lambda n: n["null_count"], U, some_null, _smallest, table),
        _count("value count absent", "value", lambda n: None, C, no_null, table=table),
    )


def _record(id: str, table: str, value: Callable[[int], int], column: str) -> Fault:
    return Fault(
        f"record_count {id}",
        table,
        partial(mutate.set_field("record_count", value), place=PLACE),
        {"record_counts_are_exact": U},
        (PLACE,),
        loses=(lambda draft: IsNull(column, negated=True)) if id == "0" else None,
    )


OF_COUNTS = (
    *_everywhere("typed", some_null="holey", no_null="int"),
    *_everywhere(XTABLE, some_null="passenger_count", no_null="VendorID"),
    *_everywhere("native_iceberg", some_null="passenger_count", no_null="VendorID"),
    _count("NaN count one too high", "nan", lambda n: n["nan_count"] + 1, C, "nan"),
    _count("NaN count 1 where none is", "nan", lambda n: 1, C, "double"),
    _count("NaN count that of all values", "nan", lambda n: n["value_count"], U, "nan", _smallest),
    _count("NaN count 0 where one is", "nan", lambda n: 0, U, "nan"),
    *(
        _record(id, table, value, column)
        for table, column in (("typed", "int"), (XTABLE, "VendorID"), ("native_iceberg", "VendorID"))
        for id, value in (
            ("0", lambda n: 0),
            ("one too high", lambda n: n + 1),
            ("one too low", lambda n: n - 1),
        )
    ),
)


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


def _of_entry(table: str, column: str) -> Iterator[Fault]:
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


OF_ENTRIES = tuple(fault for table, column in COLUMNS.items() for fault in _of_entry(table, column))


FAULTS = (*OF_LIST, *OF_COUNTS, *OF_ENTRIES)
