"""A source table as the user names it: its format, and where it is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from xtable_audit.access.access import Access
from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.registered import is_source, source_format, source_formats
from xtable_audit.formats.source import SourceState, SourceTable, malformed_is_a_problem
from xtable_audit.model.problem import Problem
from xtable_audit.table.synced import Synced

FOOTERS = 50
"""Footers read of a source table by default."""


@dataclass(frozen=True)
class NamedSource:
    """A source table as the user names it: hudi:LOCATION, delta:LOCATION, parquet:LOCATION or paimon:LOCATION."""

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
