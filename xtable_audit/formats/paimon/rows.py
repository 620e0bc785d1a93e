"""The rows of a Paimon table, as Arrow reads its data files. Paimon's readers add nothing to them where no file is left
to be merged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import pyarrow as pa
import pyarrow.parquet as pq

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.paimon.manifests import live_files
from xtable_audit.formats.paimon.snapshots import schema, snapshots
from xtable_audit.formats.source import NotCompared, SourceState, Undetermined
from xtable_audit.model.scalars import without_views

LIBRARY = "pyarrow"
SUFFIX = ".parquet"


def paimon_rows(
    folder: TableFolder, state: SourceState, uri: str, options: Mapping[str, str], only: Collection[str] | None
) -> pa.Table:
    """Columns that a file lacks are null in its rows. Raises NotCompared if Paimon's readers would merge or leave out
    rows, or if a file is no Parquet file.
    """
    del uri, options  # the files are opened as the folder is
    if state.beside:
        raise NotCompared("the source has files that are not compacted, which Paimon's readers merge with the others")
    at = next((one for one in snapshots(folder) if str(one.id) == state.at), None)
    if at is None:
        raise Undetermined(f"the source does not have snapshot {state.at} any more")
    if at.has_index:
        raise NotCompared("the source has deletion vectors or another index, which is not read")
    now = schema(folder, at.schema)
    written = {one.name: one.schema for one in live_files(folder, at)}

    def tables() -> Iterator[pa.Table]:
        for address in state.files if only is None else sorted(only):
            if not address.endswith(SUFFIX):
                raise NotCompared(f"{address} is no Parquet file")
            then = schema(folder, written[address.rpartition("/")[2]]).names
            with folder.objects.open(address) as stream:
                table = pq.read_table(stream, coerce_int96_timestamp_unit="us")
            shown = {now.names[id]: table[name] for id, name in then.items() if id in now.names}
            yield pa.table(shown)

    found = list(tables())
    if not found:
        return pa.table({name: pa.nulls(0) for name in now.names.values()})
    return without_views(pa.concat_tables(found, promote_options="permissive"))
