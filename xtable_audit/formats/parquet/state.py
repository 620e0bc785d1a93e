"""A folder of Parquet files as XTable found it: it has no log, so times of modification stand for commits.

XTable takes the time of the newest file for the source's commit. Files that are newer have come since. A file that is
as old and not translated is missing, whenever it was moved there: no later incremental sync looks for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq

from xtable_audit.formats.folder import THREADS, TableFolder
from xtable_audit.formats.parquet.files import listed, milliseconds, partition_columns
from xtable_audit.formats.source import SourceState, Undetermined
from xtable_audit.model.malformed import first_line
from xtable_audit.table.plain_table import nodes
from xtable_audit.table.synced import Synced

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
        uri = folder.uri(path)
        try:
            with folder.objects.open(uri) as stream:
                return pq.read_schema(stream)
        except (OSError, pa.ArrowException) as error:
            raise Undetermined(f"{uri} has no Parquet footer that can be read: {first_line(error)}") from error

    with ThreadPoolExecutor(THREADS) as pool:
        schemas: Iterable[pa.Schema] = dict.fromkeys(pool.map(schema, paths))
    return (path for one in schemas for path, _ in nodes(one))
