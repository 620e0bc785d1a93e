"""The rows of a folder of Parquet files, as Arrow reads each."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pyarrow as pa
import pyarrow.parquet as pq

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import SourceState
from xtable_audit.model.scalars import without_views

LIBRARY = "pyarrow"


def folder_rows(
    folder: TableFolder, state: SourceState, uri: str, options: Mapping[str, str], only: Collection[str] | None
) -> pa.Table:
    """Columns that a file lacks are null in its rows. Partition columns that are in paths alone are left out: by its
    configuration XTable makes them from another column.
    """
    del uri, options  # the files are opened as the folder is
    tables = []
    for address in state.files if only is None else sorted(only):
        with folder.objects.open(address) as stream:
            tables.append(pq.read_table(stream, coerce_int96_timestamp_unit="us"))
    return without_views(pa.concat_tables(tables, promote_options="permissive"))
