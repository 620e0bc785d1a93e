"""The rows of a Hudi table, as hudi-rs shows them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pyarrow as pa

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import SourceState, Undetermined

LIBRARY = "hudi-rs"


def hudi_rows(
    folder: TableFolder, state: SourceState, uri: str, options: Mapping[str, str], only: Collection[str] | None
) -> pa.Table:
    """Raises Undetermined if the library shows other files, and whatever it raises."""
    from hudi import HudiReadOptions, HudiTableBuilder  # late: an extra

    table = HudiTableBuilder.from_base_uri(uri).with_storage_options(dict(options)).build()
    at = HudiReadOptions()
    if state.later:
        at = at.with_as_of_timestamp(state.at)
    slices = {folder.uri(one.base_file_relative_path()): one for one in table.get_file_slices(at)}
    if slices.keys() != {*state.files}:
        raise Undetermined(f"{LIBRARY} shows other files at instant {state.at}")
    if only is None:
        batches = table.read(at)
    else:
        reader = table.create_file_group_reader_with_options(at)
        batches = [reader.read_file_slice(slices[name], at) for name in sorted(only)]
    top = [path for path in state.columns if "." not in path]
    return pa.Table.from_batches(batches) if batches else pa.table({name: pa.nulls(0) for name in top})
