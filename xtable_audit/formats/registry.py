"""The formats that a source may have, and a source table as the user names it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import cast

from xtable_audit.access.access import Access
from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.delta import rows as delta
from xtable_audit.formats.delta.facts import delta_table
from xtable_audit.formats.delta.state import delta_state
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.hudi import rows as hudi
from xtable_audit.formats.hudi.facts import hudi_table
from xtable_audit.formats.hudi.state import hudi_state
from xtable_audit.formats.source import SourceFormat, SourceState, SourceTable, malformed_is_a_problem
from xtable_audit.model.problem import Problem
from xtable_audit.model.source_fact import FORMATS, Format
from xtable_audit.table.synced import Synced

SOURCE_FORMATS: Mapping[str, SourceFormat] = {
    "hudi": SourceFormat(hudi_state, hudi_table, hudi.hudi_rows, hudi.LIBRARY, "instant"),
    "delta": SourceFormat(delta_state, delta_table, delta.delta_rows, delta.LIBRARY, "version"),
}
FOOTERS = 50
"""Footers that are read of a source table unless told otherwise."""


@dataclass(frozen=True)
class NamedSource:
    """A source table as the user names it: hudi:LOCATION or delta:LOCATION."""

    format: Format
    location: str

    @classmethod
    def parse(cls, text: str) -> NamedSource:
        """Raises Problem."""
        kind, colon, location = text.partition(":")
        if not colon or kind not in FORMATS or not location.strip("/"):
            raise Problem(f"{text!r} names no table; write hudi:LOCATION or delta:LOCATION, the table's root folder")
        return cls(cast(Format, kind), location)

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
        return SOURCE_FORMATS[format].state(folder, synced, live)


def read_source(
    text: str, config: Configuration | None = None, *, footers: int = FOOTERS, access: Access | None = None
) -> SourceTable:
    """The table that `hudi:LOCATION` or `delta:LOCATION` names, as it is now. Raises Problem, Unreachable."""
    named = NamedSource.parse(text)
    named.demand_format(config)
    folder = TableFolder.at(named.location, access)
    with malformed_is_a_problem():
        return SOURCE_FORMATS[named.format].table(folder, config, footers)
