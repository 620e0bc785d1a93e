"""Compares what the Iceberg metadata stores with the values of the data files, and with the source that Spark reads.

Ends with 10 if the fault of fault.json in this folder is there, 0 if it is gone, 6 if it could not be tried:
`reproduce.sh` takes only 10 for the fault, since Python itself ends with 1 where it crashes. Needs pyiceberg[pyarrow];
with duckdb a second reader answers the query.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from checks import (  # type: ignore[import-not-found]
    FAILED_SILENTLY,
    Run,
    check,
    of_a_false_bound,
    of_each_state,
    of_left_over,
    of_nulls,
    of_rows,
    of_the_source_files,
)
from columns import UNSOUND, Column, from_physical, loses_values, of_columns, physical  # type: ignore[import-not-found]
from files import local, of_counts_of_rows, of_rows_that_are_there  # type: ignore[import-not-found]
from iceberg_table import absent_files, by_pyiceberg, entries, leaves, measured  # type: ignore[import-not-found]
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io.pyarrow import ArrowScan
from pyiceberg.table import FileScanTask, StaticTable
from pyiceberg.types import IntegerType, TimestamptzType
from readers import answer, by_duckdb  # type: ignore[import-not-found]
from verdict import Fails  # type: ignore[import-not-found]

CHECKED = {
    "bounds_are_of_values",
    "bounds_are_present",
    "bounds_are_tight",
    "bounds_contain_values",
    "column_sizes_fit_the_file",
    "every_file_exists",
    "every_sync_comes_through",
    "metadata_and_data_files_can_be_read",
    "no_bound_is_nan",
    "no_column_is_left_over",
    "no_file_is_listed_twice",
    "no_file_is_listed_twice_after_a_sync",
    "no_file_is_missing",
    "no_file_is_missing_after_a_sync",
    "no_file_is_stale",
    "no_file_is_stale_after_a_sync",
    "no_matching_file_is_dropped",
    "no_row_is_missing",
    "no_row_is_shown_twice",
    "null_counts_are_exact",
    "points_skip_what_exact_bounds_would",
    "record_counts_are_exact",
    "rows_are_as_many_after_a_sync",
    "rows_are_those_of_the_snapshot_view",
    "spec_is_the_configured_one",
    "tuples_equal_every_row",
    "types_are_those_of_the_files",
    "value_counts_are_exact",
    "values_are_those_of_the_source",
}
"""The claims that this script looks for. Of another one it cannot say that it holds."""


def look(fault: Run, syncs: list[Run], source: Run) -> Iterator[Fails]:
    newest, behind = syncs[-1]["metadata"], bool(syncs[-1]["exit"])
    table = StaticTable.from_metadata(newest)
    # XTable stores no number of rows of a folder of Parquet files (XTF-078), and a reader that plans finds none: what
    # is wrong besides is looked for in the files themselves.
    counted = by_each_file if fault.get("source") == "PARQUET" else by_pyiceberg
    yield from of_each_state(syncs, absent_files(table), partial(state, counted))
    files = [entry.data_file for entry in entries(table)]
    paths = [local(file.file_path) for file in files]
    absent = absent_files(table)
    yield from of_the_source_files(Counter(map(str, paths)), source, absent, behind=behind)
    there = [(file, path) for file, path in zip(files, paths, strict=True) if str(path) not in absent]
    columns = [column for file, path in there for column in measured(table, file, path)]
    yield from of_counts_of_rows([file.record_count for file in files], paths)
    yield from of_columns(columns, CHECKED)
    if fault["partitioned"] and not table.spec().fields:
        yield Fails("spec_is_the_configured_one", "the source is partitioned, and the table has no partition spec")
    yield from of_tuples(table, files, paths)
    yield from of_types(table, [path for _, path in there])
    yield from of_sizes(table, files)
    yield from of_left_over([field.name for field in table.schema().fields], source)
    yield from of_values(table, source)
    by = "PyIceberg file by file" if counted is by_each_file else "PyIceberg"
    rows = counted(table)
    yield from of_rows(by, rows, duckdb(newest), source, behind=behind)
    if counted is by_each_file:
        yield from of_no_condition(rows, by_pyiceberg(table), columns)
    if len(there) < len(paths) and source["rows"] is not None:
        yield from of_rows_that_are_there([path for _, path in there], source["rows"])
    readers = {"PyIceberg": partial(by_pyiceberg, table), "DuckDB": partial(duckdb, newest)}
    yield from of_a_false_bound(readers, [path for _, path in there], columns)


def state(counted: Callable[[StaticTable], int | str], metadata: str) -> tuple[Counter[str], int | str]:
    """The live files and the number of rows after an earlier sync."""
    table = StaticTable.from_metadata(metadata)
    return Counter(str(local(entry.data_file.file_path)) for entry in entries(table)), counted(table)


def duckdb(location: str, equal: tuple[str, Any] | None = None) -> int | str:
    rows: int | str = by_duckdb(f"iceberg_scan('{location}')", ("avro", "iceberg"), equal)
    return rows


def of_sizes(table: StaticTable, files: list[Any]) -> Iterator[Fails]:
    """Stored sizes of columns that hold something."""
    names = {field.field_id: ".".join(name) for name, field in leaves(table.schema().fields)}
    for file in files:
        for id, size in (file.column_sizes or {}).items():
            if id in names and size <= 0 and file.record_count:
                where = f"{Path(file.file_path).name[:24]}… · {names[id]}: column size {size}"
                yield Fails("column_sizes_fit_the_file", where, names[id])


def of_values(table: StaticTable, source: Run) -> Iterator[Fails]:
    try:
        rows = of_every_file(table)
        for field in table.schema().fields:
            if isinstance(field.field_type, IntegerType) and field.name in rows.column_names:
                rows.column(field.name).cast(pa.int32())  # PyIceberg itself hands on the file's type
    except Exception as error:  # noqa: BLE001 - whatever a reader meets is what a user meets
        words = f"a live file is not what the metadata describes: {type(error).__name__}: {error}"
        yield Fails("metadata_and_data_files_can_be_read", words, verdict=FAILED_SILENTLY)
        return
    yield from of_nulls(rows, source)


def by_each_file(table: StaticTable) -> int | str:
    found: int | str = answer(lambda: of_every_file(table).num_rows)
    return found


def of_every_file(table: StaticTable) -> pa.Table:
    """The rows of every live file: a plan leaves out those whose record_count is 0."""
    tasks = [FileScanTask(entry.data_file) for entry in entries(table)]
    return ArrowScan(table.metadata, table.io, table.schema(), AlwaysTrue()).to_table(tasks)


def of_no_condition(held: int | str, shown: int | str, columns: list[Column]) -> Iterator[Fails]:
    """The rows that PyIceberg plans and shows, beside those in the files. `of_a_false_bound` is of false bounds."""
    if not isinstance(held, int):
        return
    words = f"no condition: {held} rows in the files, PyIceberg shows {shown}"
    print(words)
    if isinstance(shown, int) and shown < held and not any(map(loses_values, columns)):
        yield Fails("no_matching_file_is_dropped", words)


def of_tuples(table: StaticTable, files: list[Any], paths: list[Path]) -> Iterator[Fails]:
    """Each file's partition value against the values of its rows, for identity fields."""
    schema, spec = table.schema(), table.spec()
    for file, path in zip(files, paths, strict=True):
        if not path.exists():
            continue
        for place, field in enumerate(spec.fields):
            name = schema.find_column_name(field.source_id) or ""
            rows = pq.read_table(path, partitioning=None)
            top, *inner = name.split(".")
            if top not in rows.column_names:
                continue
            values = rows.column(top).combine_chunks()
            for part in inner:
                values = pc.struct_field(values, part)
            kind = schema.find_type(field.source_id)
            given = [from_physical(value) for value in physical(values.drop_null())] + [None] * bool(values.null_count)
            change = field.transform.transform(kind)
            wanted = {change(value) for value in given}
            stored = file.partition[place]
            if {stored} != wanted:
                rows_have = ", ".join(sorted(map(repr, wanted)))
                where = f"{path.name}: {field.name} is {stored!r}, its rows have {rows_have}"
                yield Fails("tuples_equal_every_row", where, name)


def of_types(table: StaticTable, paths: list[Path]) -> Iterator[Fails]:
    """Instants of which the files hold times without a zone."""
    for field in table.schema().fields:
        for path in paths if isinstance(field.field_type, TimestamptzType) else ():
            schema = pq.read_schema(path)
            kind = schema.field(field.name).type if field.name in schema.names else None
            if kind is not None and pa.types.is_timestamp(kind) and not kind.tz:
                where = f"{path.name[:24]}… · {field.name}: timestamptz, and the file has {kind}"
                yield Fails("types_are_those_of_the_files", where, field.name, UNSOUND)


if __name__ == "__main__":
    sys.exit(check("PyIceberg", CHECKED, look))
