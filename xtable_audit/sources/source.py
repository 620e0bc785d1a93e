"""Where a source table is, and its state at a sync."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal, cast

from xtable_audit.metadata.synced import Synced
from xtable_audit.model.problem import Problem
from xtable_audit.model.source_fact import FORMATS
from xtable_audit.sources.configuration import Configuration
from xtable_audit.sources.delta_state import delta_state
from xtable_audit.sources.hudi_state import hudi_state
from xtable_audit.sources.state import SourceState
from xtable_audit.sources.storage import Folder

Format = Literal["hudi", "delta"]
READ: dict[str, Callable[[Folder, Synced, Collection[str]], SourceState]] = {"hudi": hudi_state, "delta": delta_state}


@dataclass(frozen=True)
class Named:
    """A source table as the user names it: hudi:LOCATION or delta:LOCATION."""

    format: Format
    location: str

    @classmethod
    def parse(cls, text: str) -> Named:
        """Raises Problem."""
        kind, colon, location = text.partition(":")
        if not colon or kind not in FORMATS or not location.strip("/"):
            raise Problem(f"{text!r} names no table; write hudi:LOCATION or delta:LOCATION, the table's root folder")
        return cls(cast(Format, kind), location)

    def __str__(self) -> str:
        return f"{self.format}:{self.location}"


def demand_format(config: Configuration | None, named: Named) -> None:
    """Raises Problem if the configuration is of a source of another format."""
    if config is not None and config.source not in ("", named.format):
        raise Problem(
            f"the configuration has sourceFormat {config.source.upper()}, and the table is named as {named.format}"
        )


def read_state(format: str, folder: Folder, synced: Synced, live: Collection[str]) -> SourceState:
    """The source after the commit that was translated last; `live` are the translation's live files, below the table.

    Raises Problem for a folder that holds no such table, Undetermined for a state that its log does not determine.
    """
    return READ[format](folder, synced, live)
