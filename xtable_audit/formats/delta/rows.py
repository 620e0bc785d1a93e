"""The rows of a Delta table, as delta-rs shows them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from xtable_audit.formats.delta.schema import MODE
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import NotCompared, SourceState
from xtable_audit.model.malformed import first_line
from xtable_audit.model.views import without_views

LIBRARY = "delta-rs"
ALONE = f"{LIBRARY} reads such a table as a whole alone"


def delta_rows(
    folder: TableFolder, state: SourceState, uri: str, options: Mapping[str, str], only: Collection[str] | None
) -> pa.Table:
    """Raises NotCompared if the library cannot read some files alone, and whatever it raises."""
    from deltalake import DeltaTable, QueryBuilder  # late: an extra

    table = DeltaTable(uri, version=int(state.at), storage_options=dict(options) or None)
    if only is None:
        rows = pa.table(QueryBuilder().register("source", table).execute("select * from source").read_all())
    else:
        rows = _of_files(table, {folder.uri(unquote(folder.name(name))) for name in only}, folder)
    return without_views(rows)


def _of_files(table: Any, only: Collection[str], folder: TableFolder) -> pa.Table:
    """The rows of these files alone, which delta-rs reads by Arrow."""
    from deltalake.exceptions import DeltaProtocolError
    from pyarrow import dataset

    if table.metadata().configuration.get(MODE, "none") != "none":
        raise NotCompared(f"{ALONE} ({MODE})")
    try:
        every = table.to_pyarrow_dataset()
    except DeltaProtocolError as error:  # deletion vectors
        raise NotCompared(f"{ALONE} ({first_line(error)})") from error
    mine = [one for one in every.get_fragments() if folder.uri(unquote(one.path)) in only]
    if len(mine) != len(only):
        raise NotCompared(f"{LIBRARY} names some of these files otherwise")
    some = dataset.FileSystemDataset(mine, every.schema, every.format, every.filesystem)
    return some.to_table()
