"""A source table as the user names it: its format, where it is, and its rows after the commit translated last."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pyarrow as pa

from xtable_audit.access.access import S3_SCHEMES, Access
from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.installed import is_source, source_format, source_formats
from xtable_audit.formats.source import NotCompared, SourceState, SourceTable, Undetermined, malformed_is_a_problem
from xtable_audit.model.malformed import first_line
from xtable_audit.model.problem import Problem
from xtable_audit.table.synced import Synced

FOOTERS = 50
"""Footers read of a source table by default."""


@dataclass(frozen=True)
class NamedSource:
    """A source table as the user names it: such as hudi:LOCATION (`registered.source_formats`)."""

    format: str
    location: str

    @classmethod
    def parse(cls, text: str) -> NamedSource:
        """Raises Problem."""
        kind, colon, location = text.partition(":")
        if not colon or not is_source(kind) or not location.strip("/"):
            known = " or ".join(f"{name}:LOCATION" for name in source_formats())
            raise Problem(f"{text!r} names no table; write {known}, the table's root folder")
        return cls(kind, location)

    def __str__(self) -> str:
        return f"{self.format}:{self.location}"

    def demand_format(self, config: Configuration | None) -> None:
        """Raises Problem if the configuration is of a source of another format."""
        if config is not None and config.source not in ("", self.format):
            raise Problem(
                f"the configuration has sourceFormat {config.source.upper()}, and the table is named as {self.format}"
            )


def read_state(format: str, folder: TableFolder, synced: Synced, live: Collection[str]) -> SourceState:
    """The source after the commit that was translated last; `live` are the translation's live files, below the table.

    Raises Problem for a folder that holds no such table, Undetermined for a state that its log does not determine.
    """
    with malformed_is_a_problem():
        return source_format(format).state(folder, synced, live)


def read_source(
    text: str, config: Configuration | None = None, *, footers: int = FOOTERS, access: Access | None = None
) -> SourceTable:
    """The table that `hudi:LOCATION` or `delta:LOCATION` names, as it is now. Raises Problem, Unreachable."""
    named = NamedSource.parse(text)
    named.demand_format(config)
    folder = TableFolder.at(named.location, access)
    with malformed_is_a_problem():
        return source_format(named.format).table(folder, config, footers)


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
