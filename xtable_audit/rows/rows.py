"""Reads the rows of a source as they were after the commit that was translated last."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from xtable_audit.access.access import S3_SCHEMES, Access
from xtable_audit.access.s3 import S3
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import SourceState, Undetermined
from xtable_audit.model.malformed import first_line
from xtable_audit.model.views import without_views

MOST = 100_000_000
"""Bytes of data files whose rows are compared: those of both tables are held in memory, decoded."""
MAPPING = "delta.columnMapping.mode"
EXTRA = 'pip install "xtable-audit[rows]"'


class NotCompared(Undetermined):
    """The library that reads them is not installed, or cannot read some files alone: it says nothing of the table."""


def read_rows(
    folder: TableFolder, state: SourceState, access: Access | None = None, only: Collection[str] | None = None
) -> pa.Table:
    """Every row, with updates and deletes that are beside the data files; `only` those of some of `state.files`.

    Raises Undetermined with the reason why not, NotCompared if it is the library's.
    """
    if state.outside:
        raise Undetermined(
            f"the source's log names files outside its folder, such as {state.outside[0]}, which are not read"
        )
    try:
        return READ[state.format](folder, state, _options(folder.root, access), only)
    except ImportError as error:
        raise NotCompared(f"{LIBRARIES[state.format]} reads the source's, and is not installed ({EXTRA})") from error
    except (Undetermined, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # each raises its own kinds, and a panic in Rust is no Exception
        raise Undetermined(f"{LIBRARIES[state.format]} cannot read them: {first_line(error)}") from error


def _hudi(
    folder: TableFolder, state: SourceState, options: Mapping[str, str], only: Collection[str] | None
) -> pa.Table:
    from hudi import HudiReadOptions, HudiTableBuilder  # late: an extra

    table = HudiTableBuilder.from_base_uri(_uri(folder.root)).with_storage_options(dict(options)).build()
    at = HudiReadOptions()
    if state.later:
        at = at.with_as_of_timestamp(state.at)
    slices = {folder.uri(one.base_file_relative_path()): one for one in table.get_file_slices(at)}
    if slices.keys() != {*state.files}:
        raise Undetermined(f"{LIBRARIES['hudi']} shows other files at instant {state.at}")
    if only is None:
        batches = table.read(at)
    else:
        reader = table.create_file_group_reader_with_options(at)
        batches = [reader.read_file_slice(slices[uri], at) for uri in sorted(only)]
    return pa.Table.from_batches(batches) if batches else pa.table({name: pa.nulls(0) for name in _top(state)})


def _delta(
    folder: TableFolder, state: SourceState, options: Mapping[str, str], only: Collection[str] | None
) -> pa.Table:
    from deltalake import DeltaTable, QueryBuilder  # late: an extra

    table = DeltaTable(_uri(folder.root), version=int(state.at), storage_options=dict(options) or None)
    if only is None:
        rows = pa.table(QueryBuilder().register("source", table).execute("select * from source").read_all())
    else:
        rows = _of_files(table, {folder.uri(unquote(uri.removeprefix(f"{folder.root}/"))) for uri in only}, folder)
    return without_views(rows)


def _of_files(table: Any, only: Collection[str], folder: TableFolder) -> pa.Table:
    """The rows of these files alone, which delta-rs reads by Arrow."""
    from deltalake.exceptions import DeltaProtocolError
    from pyarrow import dataset

    alone = f"{LIBRARIES['delta']} reads such a table as a whole alone"
    if table.metadata().configuration.get(MAPPING, "none") != "none":
        raise NotCompared(f"{alone} ({MAPPING})")
    try:
        every = table.to_pyarrow_dataset()
    except DeltaProtocolError as error:  # deletion vectors
        raise NotCompared(f"{alone} ({first_line(error)})") from error
    mine = [one for one in every.get_fragments() if folder.uri(unquote(one.path)) in only]
    if len(mine) != len(only):
        raise NotCompared(f"{LIBRARIES['delta']} names some of these files otherwise")
    some = dataset.FileSystemDataset(mine, every.schema, every.format, every.filesystem)
    return some.to_table()


Read = Callable[[TableFolder, SourceState, Mapping[str, str], Collection[str] | None], pa.Table]
READ: Mapping[str, Read] = {"hudi": _hudi, "delta": _delta}
LIBRARIES = {"hudi": "hudi-rs", "delta": "delta-rs"}


def _top(state: SourceState) -> list[str]:
    return [path for path in state.columns if "." not in path]


def _uri(root: str) -> str:
    scheme, separator, rest = root.partition("://")
    if not separator:
        return f"file://{root.removeprefix('file:')}"
    return f"s3://{rest}" if scheme in S3_SCHEMES else root


def _options(root: str, access: Access | None) -> Mapping[str, str]:
    """The credential for the store of the table, as both libraries take it."""
    scheme, separator, _ = root.partition("://")
    if not separator or scheme == "file":
        return {}
    if scheme not in S3_SCHEMES:
        raise Undetermined(f"rows are read from S3 and the local disk, and not from {scheme}://")
    return object_store((access or Access()).credential)


def object_store(s3: S3) -> dict[str, str]:
    """Options of the Rust crate object_store, which both are built on."""
    told = {
        "aws_access_key_id": s3.access_key,
        "aws_secret_access_key": s3.secret_key,
        "aws_session_token": s3.session_token,
        "aws_endpoint": s3.endpoint,
        "aws_region": s3.region,
        "aws_allow_http": "" if s3.tls else "true",
        "aws_skip_signature": "" if s3.access_key else "true",
    }
    return {name: value for name, value in told.items() if value}
