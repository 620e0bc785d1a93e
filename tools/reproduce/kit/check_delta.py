"""Compares what the Delta log stores with the values of the data files, and with the source that Spark reads.

Ends as `check.py` does, and needs deltalake and pyarrow; with duckdb a second reader answers the query. What is stored
is what the JSON of the log says: delta-rs rewrites some values before it shows them.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
from checks import (  # type: ignore[import-not-found]
    FAILED_SILENTLY,
    Run,
    check,
    content,
    of_a_false_bound,
    of_each_state,
    of_left_over,
    of_nulls,
    of_rows,
    of_the_source_files,
)
from columns import of_columns, physical  # type: ignore[import-not-found]
from delta_log import (  # type: ignore[import-not-found]
    NO_VALUE,
    WITHOUT_BOUNDS,
    Log,
    at,
    by_delta_rs,
    dataset_of,
    is_held,
    leaves,
    log_of,
    measured,
    statistics_of,
    value_of,
)
from files import of_counts_of_rows, of_rows_that_are_there, short  # type: ignore[import-not-found]
from readers import by_duckdb  # type: ignore[import-not-found]
from spark_hash import spark_hash  # type: ignore[import-not-found]
from verdict import Fails  # type: ignore[import-not-found]

CHECKED = {
    "bounds_are_of_the_columns_type",
    "bounds_are_present",
    "bounds_are_tight",
    "bounds_contain_values",
    "every_file_exists",
    "every_sync_comes_through",
    "logged_statistics_can_be_read",
    "mapped_columns_have_ids_and_names",
    "metadata_and_data_files_can_be_read",
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
    "null_counts_are_numbers",
    "partition_values_are_of_their_type",
    "paths_are_uris",
    "points_skip_what_exact_bounds_would",
    "record_counts_are_exact",
    "rows_are_as_many_after_a_sync",
    "rows_are_those_of_the_snapshot_view",
    "sizes_are_exact",
    "spec_is_the_configured_one",
    "tuples_equal_every_row",
    "values_are_those_of_the_source",
}
"""The claims that this script looks for. Of another one it cannot say that it holds."""
URI = re.compile(r"(?:[\w.!~*'()@&=+$,;/:-]|[^\x00-\xa0]|%[0-9A-Fa-f]{2})+", re.ASCII)
"""What a path may hold: a blank fails in Java's URI, and what follows a `#` or `?` is no part of the path."""
BUCKET = re.compile(r"MOD\(\(HASH\((\w+)\) & 2147483647\), (\d+)\)")
"""The expression by which XTable describes a bucket of a column, and the number of buckets."""
GENERATED, MODE, ID = "delta.generationExpression", "delta.columnMapping.mode", "delta.columnMapping.id"


def look(fault: Run, syncs: list[Run], source: Run) -> Iterator[Fails]:
    newest, behind = syncs[-1]["metadata"], bool(syncs[-1]["exit"])
    log = log_of(newest)
    paths, adds = log.files, [*log.adds.values()]
    absent = {str(path) for path in paths if not path.exists()}
    yield from of_each_state(syncs, absent, state)
    yield from of_the_source_files(Counter(map(str, paths)), source, absent, behind=behind)
    there = [(add, path) for add, path in zip(adds, paths, strict=True) if path.exists()]
    yield from of_actions(log, there)
    yield from of_types(log, there)
    sound = [(add, path) for add, path in there if can_be_read(add)]
    columns = [column for add, path in sound for column in measured(log, add, path)]
    counts = [statistics_of(add).get("numRecords") for add, _ in sound]
    yield from of_counts_of_rows(counts, [path for _, path in sound])
    yield from of_columns(columns, CHECKED)
    yield from of_statistics(log, [add for add, _ in sound])
    yield from of_partitions(log, there, partitioned=fault["partitioned"])
    yield from of_buckets(log, there)
    yield from of_schema(log)
    own = [field["name"] for field in log.fields if GENERATED not in field.get("metadata", {})]
    yield from of_left_over(own, source)
    yield from of_values(log, source)
    delta_rs, duckdb = partial(by_delta_rs, log.root), partial(by_duckdb, f"delta_scan('{log.root}')", ("delta",))
    yield from of_rows("delta-rs", delta_rs(), duckdb(), source, behind=behind)
    if len(there) < len(paths) and source["rows"] is not None:
        yield from of_rows_that_are_there([path for _, path in there], source["rows"])
    yield from of_a_false_bound({"delta-rs": delta_rs, "DuckDB": duckdb}, [path for _, path in there], columns)


def state(commit: str) -> tuple[Counter[str], int | str]:
    """The live files after an earlier sync, and their rows; words in place of these where a file is gone by now."""
    files = log_of(commit).files
    gone = not all(path.exists() for path in files)
    return Counter(map(str, files)), "gone" if gone else sum(pq.read_metadata(path).num_rows for path in files)


def can_be_read(add: dict[str, Any]) -> bool:
    try:
        return isinstance(statistics_of(add), dict)
    except ValueError:
        return False


def of_actions(log: Log, there: list[tuple[dict[str, Any], Path]]) -> Iterator[Fails]:
    """What the log says of each file besides its columns."""
    for path in log.adds:
        if not URI.fullmatch(path) or (":" in path.partition("/")[0] and not re.match(r"\w+:/", path)):
            yield Fails("paths_are_uris", f"the log has {path!r}, which is no URI")
    for add, path in there:
        if add["size"] != (size := path.stat().st_size):
            yield Fails("sizes_are_exact", f"{short(str(path))}: size {add['size']}, {size} bytes")
        if not can_be_read(add):
            yield Fails("logged_statistics_can_be_read", f"{short(str(path))}: statistics {add['stats'][:60]!r}")


def of_types(log: Log, there: list[tuple[dict[str, Any], Path]]) -> Iterator[Fails]:
    """Columns of another type in a file: what a reader does of them, no sync has said."""
    kinds = {names[0]: kind for names, kind in leaves(log.fields) if len(names) == 1}
    for _, path in there:
        for one in pq.read_schema(path):
            if one.name in kinds and not is_held(one.type, kinds[one.name]):
                where = f"{path.name}: {one.name} is {one.type} in the file, {kinds[one.name]} in the log"
                yield Fails("metadata_and_data_files_can_be_read", where, one.name, FAILED_SILENTLY)


def of_statistics(log: Log, adds: list[dict[str, Any]]) -> Iterator[Fails]:
    """Null counts and bounds that are of another type than theirs."""
    for add in adds:
        statistics = statistics_of(add)
        for names, kind in leaves(log.fields):
            name, nulls = ".".join(names), at(statistics.get("nullCount"), names)
            if nulls is not None and not isinstance(nulls, int):
                yield Fails("null_counts_are_numbers", f"{name}, of type {kind}: nullCount {nulls}", name)
            for side in ("minValues", "maxValues") if kind not in (*WITHOUT_BOUNDS, "array", "map") else ():
                said = at(statistics.get(side), names)
                if said is not None and not is_of(said, kind):
                    yield Fails("bounds_are_of_the_columns_type", f"{name}, of type {kind}: {side} {said!r}", name)


def is_of(said: Any, kind: str) -> bool:
    """Whether a text or number of the log is a value of the type."""
    try:
        value_of(said, kind)
    except NO_VALUE:
        return False
    return True


def of_partitions(log: Log, there: list[tuple[dict[str, Any], Path]], *, partitioned: bool) -> Iterator[Fails]:
    """Each file's partition values against the values of its rows, but for columns that are generated of others."""
    if partitioned and not log.partition_by:
        yield Fails("spec_is_the_configured_one", "the source is partitioned, and the table is not")
    kinds = {names[0]: kind for names, kind in leaves(log.fields) if len(names) == 1}
    for place, add in log.adds.items():
        for name in kinds.keys() & log.partition_by:
            text = add["partitionValues"].get(name)
            if text and not is_of(text, kinds[name]):
                where = f"{short(place)}: {name}, of type {kinds[name]}, is {text!r}"
                yield Fails("partition_values_are_of_their_type", where, name)
    for add, path in there:
        rows = content(path)
        for name in kinds.keys() & log.partition_by:
            text = add["partitionValues"].get(name)
            if name in rows.column_names and (not text or is_of(text, kinds[name])):
                values = rows.column(name).combine_chunks()
                wanted = {*physical(values.drop_null())} | ({None} if values.null_count else set())
                if {value_of(text, kinds[name]) if text else None} != wanted:
                    where = f"{path.name}: {name} is {text!r}, its rows have {pc.unique(values).to_pylist()}"
                    yield Fails("tuples_equal_every_row", where, name)


def of_buckets(log: Log, there: list[tuple[dict[str, Any], Path]]) -> Iterator[Fails]:
    """Partition values that are generated as buckets of a text or an int, against what the expression says."""
    for field in log.fields:
        by = BUCKET.fullmatch(field.get("metadata", {}).get(GENERATED, ""))
        if by is None:
            continue
        for add, path in there:
            said = add["partitionValues"].get(field["name"])
            values = pc.unique(content(path).column(by[1]).drop_null()).to_pylist()
            wanted = sorted({(spark_hash(value) & 0x7FFFFFFF) % int(by[2]) for value in values})
            if {said} != {*map(str, wanted)}:
                where = f"{path.name}: {field['name']} is {said}, by its expression {wanted}"
                yield Fails("spec_is_the_configured_one", where)


def of_schema(log: Log) -> Iterator[Fails]:
    """Ids of column mapping in a table that has none of it: DuckDB refuses to read it."""
    marked = [field["name"] for field in log.fields if ID in field.get("metadata", {})]
    if marked and (log.metadata.get("configuration") or {}).get(MODE, "none") == "none":
        where = f"{', '.join(marked)}: {ID} without {MODE}"
        yield Fails("mapped_columns_have_ids_and_names", where, marked[0])


def of_values(log: Log, source: Run) -> Iterator[Fails]:
    try:
        rows = dataset_of(log.root).to_table()
    except Exception as error:  # noqa: BLE001 - `of_rows` reports it
        print(f"the rows cannot be read: {type(error).__name__}")
        return
    yield from of_nulls(rows, source)


if __name__ == "__main__":
    sys.exit(check("delta-rs", CHECKED, look))
