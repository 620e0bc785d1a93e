"""A folder of Parquet files as XTable found it: its data files, its state by times of modification, and its rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NoReturn
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import SourceState, Undetermined
from xtable_audit.model.malformed import first_line, given_up
from xtable_audit.model.problem import Problem
from xtable_audit.model.scalars import without_views
from xtable_audit.table.plain_table import nodes
from xtable_audit.table.synced import Synced

SUFFIX = ".parquet"
NULL = "__HIVE_DEFAULT_PARTITION__"
"""The value in a path of rows whose partition value is null."""


def is_data_file(path: str) -> bool:
    """Whether a file at that path below the table is one of its data files.

    Spark, Hive and Trino do not look at names that begin with a dot or an underscore, nor below such folders; a
    partition folder may begin with an underscore (Spark, `HadoopFSUtils.shouldFilterOutPathName`).
    """
    return path.endswith(SUFFIX) and not any(map(_is_hidden, path.split("/")))


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def listed(folder: TableFolder) -> tuple[dict[str, fs.FileInfo], list[str]]:
    """Path below the table -> size and time of each data file, and the paths of all other files.

    Raises Problem if no file is a data file, Unreachable.
    """
    infos = folder.infos(below=True)
    found = {path: info for path, info in infos.items() if is_data_file(path)}
    if not found:
        raise Problem(f"{folder.root} is no folder of Parquet files: no name in it ends in {SUFFIX}")
    return found, [path for path in infos if path not in found]


def milliseconds(info: fs.FileInfo) -> int:
    """The time of modification as Hadoop has it."""
    return int(info.mtime_ns) // 1_000_000


def partition_values(path: str) -> Mapping[str, str | None]:
    """Partition column -> value, by the folders `column=value` of a path below the table."""
    named = [folder.partition("=") for folder in path.split("/")[:-1] if "=" in folder]
    return {unquote(name): None if value == NULL else unquote(value) for name, _, value in named}


def partition_columns(paths: Iterable[str]) -> tuple[str, ...]:
    """Those of any of the paths, in the order in which they come."""
    return tuple(dict.fromkeys(name for path in paths for name in partition_values(path)))


# A folder of Parquet files as XTable found it: it has no log, so times of modification stand for commits.
#
# XTable takes the time of the newest file for the source's commit. Files that are newer have come since. A file that is
# as old and not translated is missing, whenever it was moved there: no later incremental sync looks for it.

TIME = re.compile(r"[0-9]{1,18}")


def folder_state(folder: TableFolder, synced: Synced, live: Collection[str]) -> SourceState:
    """`live` are paths of the translation's live files, below the table: one that is rewritten since is no later file.

    Raises Problem if the folder holds no Parquet file, Undetermined if no file is that old, or a footer is unreadable.
    """
    found, _ = listed(folder)
    times = {path: milliseconds(info) for path, info in found.items()}
    named = TIME.fullmatch(synced.identifier)
    at = int(named[0]) if named else int(synced.time.timestamp() * 1000)
    then = [path for path, time in times.items() if time <= at or path in {*live}]
    if not then:
        raise Undetermined(f"the table was synced to file time {at}, and each file of the source is newer")
    partition_by = partition_columns(then)
    return SourceState(
        format="parquet",
        at=str(at),
        newest=str(max(times.values())),
        later=len({time for path, time in times.items() if path not in {*then}}),
        files={folder.uri(path): found[path].size for path in then},
        columns=tuple(dict.fromkeys((*_columns(folder, then), *partition_by))),
        partition_by=partition_by,
        beside={},
    )


def _columns(folder: TableFolder, paths: Sequence[str]) -> Iterator[str]:
    """The columns of all files: one that the newest lacks is still in the older ones."""

    def schema(path: str) -> pa.Schema:
        try:
            with folder.objects.open(folder.uri(path)) as stream:
                return pq.read_schema(stream)
        except (OSError, pa.ArrowException) as error:
            not_read(path, error)

    def not_read(path: str, error: Exception) -> NoReturn:
        why = f"has no Parquet footer that can be read: {first_line(error)}"
        raise Undetermined(f"{folder.uri(path)} {why}") from error

    schemas: Iterable[pa.Schema] = dict.fromkeys(folder.objects.each(schema, paths, not_read))
    return (path for one in schemas for path, _ in nodes(one))


# The rows of a folder of Parquet files, as Arrow reads each.

LIBRARY = "pyarrow"


def folder_rows(
    folder: TableFolder, state: SourceState, uri: str, options: Mapping[str, str], only: Collection[str] | None
) -> pa.Table:
    """Columns that a file lacks are null in its rows. Partition columns that are in paths alone are left out: by its
    configuration XTable makes them from another column.
    """
    del uri, options  # the files are opened as the folder is

    def table(address: str) -> pa.Table:
        with folder.objects.open(address) as stream:
            return pq.read_table(stream, coerce_int96_timestamp_unit="us")

    tables = folder.objects.each(table, [*state.files] if only is None else sorted(only), given_up)
    return without_views(pa.concat_tables(tables, promote_options="permissive"))
