"""Reads the rows of a source as they were after the commit that was translated last.

Another implementation of the format reads them, hudi-rs or delta-rs, of the extra `rows`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pyarrow as pa

from xtable_audit.access.access import S3_SCHEMES, Access
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.registered import source_format
from xtable_audit.formats.source import NotCompared, SourceState, Undetermined
from xtable_audit.model.malformed import first_line

MOST = 100_000_000
"""Bytes of data files whose rows are compared: those of both tables are held in memory, decoded."""
EXTRA = 'pip install "xtable-audit[rows]"'


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
    source = source_format(state.format)
    options = _options(folder.root, access)
    try:
        return source.rows(folder, state, _uri(folder.root), options, only)
    except ImportError as error:
        raise NotCompared(f"{source.library} reads the source's, and is not installed ({EXTRA})") from error
    except (Undetermined, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # each raises its own kinds, and a panic in Rust is no Exception
        raise Undetermined(f"{source.library} cannot read them: {first_line(error)}") from error


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
    return (access or Access()).credential.object_store()
