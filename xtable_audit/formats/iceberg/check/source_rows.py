"""The rows of an Iceberg table as a source: as the judge reads any table, without those that delete files remove."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pyarrow as pa

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.iceberg.source_state import NO_SNAPSHOT, stored_at
from xtable_audit.formats.iceberg.table_json import metadata_below
from xtable_audit.formats.source import NotCompared, SourceState
from xtable_audit.scan import live_files
from xtable_audit.subject.table_rows import read_rows

LIBRARY = "pyarrow"


def iceberg_rows(
    folder: TableFolder, state: SourceState, uri: str, options: Mapping[str, str], only: Collection[str] | None
) -> pa.Table:
    """Raises NotCompared if a data file is no Parquet file, or a delete file is of a form that is not read."""
    del uri, options  # the files are opened as the folder is
    location, _ = metadata_below(folder.objects, folder.root)
    stored = stored_at(folder.objects, location, None if state.at == NO_SNAPSHOT else int(state.at))
    if stored.files_set_aside:
        raise NotCompared(f"{sorted(stored.files_set_aside)[0]} or its deletes are of a form that is not read")
    files = live_files(folder.objects, stored)
    return read_rows(folder.objects, stored, files if only is None else files.only(sorted(only))).values
