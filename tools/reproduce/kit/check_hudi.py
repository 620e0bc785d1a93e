"""Compares a Hudi table that XTable wrote with the source, by the JSON of its commits and the values of its data files.

Ends as `check.py` does, and needs pyarrow. The live files are those that Hudi's rules leave: a commit adds files to
groups and replaces groups, and a group that any commit has replaced is hidden.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from checks import (  # type: ignore[import-not-found]
    Run,
    check,
    content,
    of_each_state,
    of_nulls,
    of_the_source_files,
)
from files import local, of_counts_of_rows, of_rows_that_are_there  # type: ignore[import-not-found]
from verdict import Fails  # type: ignore[import-not-found]

CHECKED = {
    "every_file_exists",
    "every_sync_comes_through",
    "metadata_and_data_files_can_be_read",
    "no_file_is_listed_twice",
    "no_file_is_listed_twice_after_a_sync",
    "no_file_is_missing",
    "no_file_is_missing_after_a_sync",
    "no_file_is_stale",
    "no_file_is_stale_after_a_sync",
    "no_matching_file_is_dropped",
    "no_row_is_missing",
    "record_counts_are_exact",
    "rows_are_as_many_after_a_sync",
    "tuples_equal_every_row",
    "values_are_those_of_the_source",
}
"""The claims that this script looks for. Of another one it cannot say that it holds."""
MARK = "_hudiext"
"""Ends the name of a file that Hudi did not write, after the commit's time."""


@dataclass
class Table:
    """The table after one commit."""

    root: Path
    columns: list[str]
    partition_by: list[str]
    files: dict[Path, tuple[str, int]] = field(default_factory=dict)
    """Each live file: its partition path, and its number of rows by the commit."""


def table_of(commit: str) -> Table:
    """The table after the commit in that file."""
    newest = local(commit)
    root = newest.parent.parent
    live: dict[tuple[str, str], tuple[Path, int]] = {}
    replaced: set[tuple[str, str]] = set()
    schema: dict[str, Any] = {}
    for file in sorted(newest.parent.glob("*.replacecommit")):
        if file.name > newest.name:
            continue
        said = json.loads(file.read_text())
        schema = json.loads(said["extraMetadata"]["schema"])
        replaced |= {(part, id) for part, ids in said["partitionToReplaceFileIds"].items() for id in ids}
        for part, written in said["partitionToWriteStats"].items():
            for one in written:
                live[part, one["fileId"]] = root / path_of(one["path"]), one["numWrites"]
    fields = properties(root).get("hoodie.table.partition.fields", "")
    table = Table(root, [one["name"] for one in schema["fields"]], [one for one in fields.split(",") if one])
    table.files = {path: (part, rows) for (part, id), (path, rows) in live.items() if (part, id) not in replaced}
    return table


def path_of(written: str) -> str:
    """Without the commit's time and the mark."""
    return written.removesuffix(MARK).rpartition("_")[0] if written.endswith(MARK) else written


def properties(root: Path) -> dict[str, str]:
    lines = (root / ".hoodie" / "hoodie.properties").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def look(fault: Run, syncs: list[Run], source: Run) -> Iterator[Fails]:
    del fault
    newest, behind = syncs[-1]["metadata"], bool(syncs[-1]["exit"])
    table = table_of(newest)
    paths = [*table.files]
    absent = {str(path) for path in paths if not path.exists()}
    yield from of_each_state(syncs, absent, state)
    yield from of_the_source_files(Counter(map(str, paths)), source, absent, behind=behind)
    yield from of_counts_of_rows([rows for _, rows in table.files.values()], paths)
    there = [path for path in paths if path.exists()]
    rows = rows_of(table, there)
    nulls = all_null(rows)
    found = rows.num_rows - nulls
    print(f"\nall rows: {source['rows']} in the source; {rows.num_rows} in the table, {nulls} of them null alone")
    if source["rows"] is not None and found < source["rows"] and not absent:
        words = f"{source['rows'] - found} of the source's {source['rows']} rows are in no live file, or null alone"
        yield Fails("no_row_is_missing", words)
    if absent and source["rows"] is not None:
        yield from of_rows_that_are_there(there, source["rows"])
    yield from of_nulls(rows, source)
    yield from of_partitions(table, there)


def state(commit: str) -> tuple[Counter[str], int | str]:
    """The live files after an earlier sync, and their rows; words in place of these where a file is gone by now."""
    files = [*table_of(commit).files]
    gone = not all(path.exists() for path in files)
    return Counter(map(str, files)), "gone" if gone else sum(pq.read_metadata(path).num_rows for path in files)


def rows_of(table: Table, there: list[Path]) -> pa.Table:
    """The rows of the live files, whose columns Hudi finds by their names; partition columns are in the path."""
    names = [name for name in table.columns if name not in table.partition_by]
    parts = []
    for path in there:
        held = content(path)
        nulls = pa.nulls(held.num_rows)
        columns = [held.column(name) if name in held.column_names else nulls for name in names]
        parts.append(pa.table(dict(zip(names, columns, strict=True))))
    return pa.concat_tables(parts, promote_options="permissive") if parts else pa.table({name: [] for name in names})


def all_null(rows: pa.Table) -> int:
    """How many rows are null in every column."""
    return sum(all(value is None for value in row.values()) for row in rows.to_pylist())


def of_partitions(table: Table, there: list[Path]) -> Iterator[Fails]:
    """A single partition column takes the whole path, as in Hudi; compared where the files hold it, too."""
    if len(table.partition_by) != 1:
        return
    name = table.partition_by[0]
    for path in there:
        held, stored = content(path), table.files[path][0].removeprefix(f"{name}=")
        values = {str(value) for value in held.column(name).to_pylist()} if name in held.column_names else {stored}
        if values != {stored}:
            words = f"{path.name}: the partition path says {stored!r}, its rows have {', '.join(sorted(values))}"
            yield Fails("tuples_equal_every_row", words, name)
            yield Fails("no_matching_file_is_dropped", f"{name} = {min(values)!r}: {words}", name)


if __name__ == "__main__":
    sys.exit(check("pyarrow", CHECKED, look))
