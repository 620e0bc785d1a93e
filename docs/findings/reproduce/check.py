"""Compares what the Iceberg metadata stores with the values of the data files, and with the source that Spark reads.

Ends with 10 if the fault of fault.json in this folder is there, 0 if it is gone, 6 if it could not be tried:
`reproduce.sh` takes only 10 for the fault, since Python itself ends with 1 where it crashes. Needs pyiceberg[pyarrow];
with duckdb a second reader answers the query.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from columns import (  # type: ignore[import-not-found]
    Column,
    claims_of,
    from_physical,
    leaves,
    measured,
    of_columns,
    physical,
)
from files import (  # type: ignore[import-not-found]
    absent_files,
    entries,
    local,
    of_counts_of_rows,
    of_files,
    of_rows_that_are_there,
    short,
)
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io.pyarrow import ArrowScan
from pyiceberg.table import FileScanTask, StaticTable
from readers import by_duckdb, by_pyiceberg  # type: ignore[import-not-found]
from verdict import HERE, Fails, decide  # type: ignore[import-not-found]

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
    "value_counts_are_exact",
    "values_are_those_of_the_source",
}
"""The claims that this script looks for. Of another one it cannot say that it holds."""
FAILED_SILENTLY, STALE, UNREADABLE = "FAILED_SILENTLY", "STALE", "UNREADABLE"


def main() -> int:
    fault = json.loads((HERE / "fault.json").read_text())
    syncs = json.loads((HERE / "syncs.json").read_text())
    source = json.loads((HERE / "source.json").read_text())
    release = os.environ.get("XTABLE_RELEASE", "")
    print(f"{fault['id']}: {fault['title']}")
    print(f"XTable {release or 'of your own'}; {JVMS[bool(os.environ.get('WARM'))]}\n")
    found = [*of_the_syncs(syncs)]
    newest = syncs[-1]["metadata"]
    if newest:
        try:
            table = StaticTable.from_metadata(newest)
            behind = bool(syncs[-1]["exit"])
            found += of_each_state(syncs, absent_files(table))
            found += of_the_table(table, newest, source, behind=behind, partitioned=fault["partitioned"])
        except Exception as error:  # noqa: BLE001 - whatever a reader meets is what a user meets
            words = f"PyIceberg cannot read the table: {type(error).__name__}: {error}"
            print(words)
            found.append(Fails("metadata_and_data_files_can_be_read", words))
    why = last_exception()
    status: int = decide(fault, found, release=release, checked=CHECKED, syncs=syncs, why_no_sync=why)
    return status


JVMS = ("a fresh JVM for each sync", "a fresh JVM for each sync, which first loads what a long-running one has loaded")


def last_exception() -> str:
    """The last exception that XTable logs; "" for none."""
    lines = (HERE / "sync.log").read_text(errors="replace").splitlines()
    said = [line.strip() for line in lines if "Exception" in line and not line.strip().startswith("at ")]
    return said[-1] if said else ""


def of_the_syncs(syncs: list[dict[str, Any]]) -> Iterator[Fails]:
    failed = [number for number, one in enumerate(syncs, start=1) if one["exit"] or one["metadata"] is None]
    print(f"syncs: {len(syncs) - len(failed)} of {len(syncs)} succeed")
    if not failed:
        return
    said = last_exception()
    words = f"sync {failed[0]}: {said or 'no metadata, and no word of failure'}"
    print(f"  {words}")
    verdict = UNREADABLE if said else FAILED_SILENTLY
    yield Fails("every_sync_comes_through", words, verdict=verdict)
    if syncs[-1]["metadata"] is None:
        yield Fails("metadata_and_data_files_can_be_read", words, verdict=verdict)


def of_each_state(syncs: list[dict[str, Any]], absent: set[str]) -> Iterator[Fails]:
    """The files and rows after each sync that came through, against those that Spark read of the source then."""
    for number, one in enumerate(syncs, start=1):
        if one["exit"] or not one["metadata"] or one["files"] is None or not local(one["metadata"]).exists():
            continue
        table = StaticTable.from_metadata(one["metadata"])
        live = Counter(str(local(entry.data_file.file_path)) for entry in entries(table))
        for claim, words, verdict in of_files(live, one["files"], absent):
            yield Fails(f"{claim}_after_a_sync", f"after sync {number}: {words}", verdict=verdict, after=number)
        rows = by_pyiceberg(table)
        if isinstance(rows, int) and rows != one["rows"]:
            words = f"after sync {number}: {rows} rows, {one['rows']} in the source"
            yield Fails("rows_are_as_many_after_a_sync", words, after=number)
        elif isinstance(rows, int) and rows != one.get("snapshot_rows", rows):
            words = f"after sync {number}: {rows} rows, {one['snapshot_rows']} in the snapshot view of the source"
            yield Fails("rows_are_those_of_the_snapshot_view", words, after=number)


def of_the_table(
    table: StaticTable, location: str, source: dict[str, Any], *, behind: bool, partitioned: bool
) -> Iterator[Fails]:
    """`behind`: the last sync failed, and says so: what is missing is stale."""
    files = [entry.data_file for entry in entries(table)]
    paths = [local(file.file_path) for file in files]
    in_source = "unknown" if source["files"] is None else len(source["files"])
    print(f"data files: {len(paths)} in the metadata, in the source {in_source}")
    late = STALE if behind else ""
    absent = {str(path) for path in paths if not path.exists()}
    for path in sorted(absent):
        yield Fails("every_file_exists", f"{short(path)} does not exist")
    if source["files"] is not None:
        for claim, words, verdict in of_files(Counter(map(str, paths)), source["files"], absent):
            yield Fails(claim, words, verdict=late if late and claim == "no_file_is_missing" else verdict)
    there = [(file, path) for file, path in zip(files, paths, strict=True) if str(path) not in absent]
    columns = [column for file, path in there for column in measured(table, file, path)]
    yield from of_counts_of_rows(files, paths)
    yield from of_columns(columns)
    if partitioned and not table.spec().fields:
        yield Fails("spec_is_the_configured_one", "the source is partitioned, and the table has no partition spec")
    yield from of_tuples(table, files, paths)
    yield from of_sizes(table, files)
    yield from of_left_over(table, source)
    yield from of_nulls(table, source)
    yield from of_rows(table, location, source, late)
    if len(there) < len(paths) and source["rows"] is not None:
        yield from of_rows_that_are_there([path for _, path in there], source["rows"])
    yield from of_a_false_bound(table, location, [path for _, path in there], columns)


def of_sizes(table: StaticTable, files: list[Any]) -> Iterator[Fails]:
    """Stored sizes of columns that hold something."""
    names = {field.field_id: ".".join(name) for name, field in leaves(table.schema().fields)}
    for file in files:
        for id, size in (file.column_sizes or {}).items():
            if id in names and size <= 0 and file.record_count:
                where = f"{Path(file.file_path).name[:24]}… · {names[id]}: column size {size}"
                yield Fails("column_sizes_fit_the_file", where, names[id])


def of_left_over(table: StaticTable, source: dict[str, Any]) -> Iterator[Fails]:
    """Columns that Spark does not show of the source."""
    known = {name.lower() for name in source.get("columns", ())}
    for field in table.schema().fields if known else ():
        if field.name.lower() not in known and not field.name.startswith("_hoodie_"):
            where = f"{field.name}: in the table, and not in the source ({', '.join(sorted(known))})"
            yield Fails("no_column_is_left_over", where, field.name)


def of_nulls(table: StaticTable, source: dict[str, Any]) -> Iterator[Fails]:
    """Where the rows are as many, the nulls of each column against those that Spark reads of the source.

    Every live file is read: a plan leaves out those whose record_count is 0.
    """
    tasks = [FileScanTask(entry.data_file) for entry in entries(table)]
    try:
        rows = ArrowScan(table.metadata, table.io, table.schema(), AlwaysTrue()).to_table(tasks)
    except Exception as error:  # noqa: BLE001 - `of_queries` reports it
        print(f"the rows cannot be read: {type(error).__name__}")
        return
    if rows.num_rows != source["rows"]:
        return
    for name, nulls in source["nulls"].items():
        found = rows.column(name).null_count if name in rows.column_names else rows.num_rows
        if found != nulls:
            where = f"{name}: {found} of {rows.num_rows} rows are null, {nulls} in the source"
            yield Fails("values_are_those_of_the_source", where, name)


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


def of_rows(table: StaticTable, location: str, source: dict[str, Any], late: str) -> Iterator[Fails]:
    """All rows, by two readers. `late`: the verdict of missing rows where the last sync failed."""
    rows = by_pyiceberg(table)
    print(f"\nall rows: {source['rows']} in the source; found by PyIceberg {rows}, DuckDB {by_duckdb(location)}")
    if isinstance(rows, str):
        yield Fails("metadata_and_data_files_can_be_read", f"PyIceberg {rows}")
    elif source["rows"] is not None and rows != source["rows"]:
        fewer = rows < source["rows"]
        claim = "no_row_is_missing" if fewer else "no_row_is_shown_twice"
        yield Fails(claim, f"{rows} rows, {source['rows']} in the source", verdict=late if fewer else "")


def loses_values(column: Column) -> bool:
    """Whether a reader that trusts what is stored of it may skip one of its values."""
    broken = dict(claims_of(column))
    return "bounds_contain_values" in broken or bool(broken.get("null_counts_are_exact"))


def of_a_false_bound(table: StaticTable, location: str, paths: list[Path], columns: list[Column]) -> Iterator[Fails]:
    """The rows of the value that a false bound leaves out, or that a false count says are null, by two readers."""
    false = next((one for one in columns if loses_values(one)), None)
    if false is None or "." in false.name or not paths:
        return
    values = pa.chunked_array([pq.read_table(path, partitioning=None).column(false.name) for path in paths])
    path = next(path for path in paths if path.name == false.file)
    own = pq.read_table(path, partitioning=None).column(false.name).drop_null()
    wanted = pc.min(own) if false.lower is not None and false.lower > false.least else pc.max(own)
    matching = pc.sum(pc.equal(values, wanted)).as_py()
    value = wanted.as_py()
    answers = {
        "PyIceberg": by_pyiceberg(table, (false.name, value)),
        "DuckDB": by_duckdb(location, (false.name, value)),
    }
    found = ", ".join(f"{who} {answer}" for who, answer in answers.items())
    query = f"{false.name} = {value}: {matching} rows match; found by {found}"
    print(query)
    if any(isinstance(answer, int) and answer < matching for answer in answers.values()):
        yield Fails("no_matching_file_is_dropped", query, false.name)


if __name__ == "__main__":
    sys.exit(main())
