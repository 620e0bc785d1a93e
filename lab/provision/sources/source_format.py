"""What the harness does with a source table by its format. A new one is a file here and a line in `every_source.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.store.disk import Disk
from lab.store.tables import Tables
from spark_jobs.battery.table import BatteryTable
from spark_jobs.recipes import Recipe
from xtable.sync import Translator
from xtable_audit.formats.folder import TableFolder
from xtable_audit.table.synced import Synced


@dataclass(frozen=True)
class NewestStage:
    """A table's newest state, where XTable has just translated it."""

    tree: Path
    """The table on the local disk."""
    base_files: Mapping[str, int]
    """Path below the table -> size in bytes of every live data file."""
    tables: Tables
    """Where XTable reached it."""
    location: str
    translator: Translator


@dataclass(frozen=True)
class SourceSetup:
    """A format of source tables."""

    title: str
    """Hudi, Delta: as in sentences."""
    live_files: Callable[[Path], list[str]]
    """Paths below the table of its live data files, by a second implementation of the format. Raises what that does."""
    kind: Callable[[Recipe | BatteryTable], str]
    """The kind of table, as a gate groups them: `Delta with deletion vectors`."""
    statistics: Callable[[NewestStage], Mapping[str, Any] | None] | None = None
    """The format's own statistics of files, as `blame.source_stats` reads them; None if they cannot be read."""
    statistics_code: tuple[Path, ...] = ()
    """The files of the code that reads the statistics: part of a cached translation's key."""
    statistics_then: Callable[[TableFolder, Synced], Mapping[str, Any]] | None = None
    """The same, where the table's own metadata still has those of the commit that was translated last: nothing is kept
    of them. Raises Problem, Malformed and Undetermined."""
    whose_statistics: str = ""
    """Begins "… own statistics are unknown"."""
    written_with: str = ""
    """The options that every table is written with, in words."""
    jars: Callable[[], tuple[str, ...]] = tuple
    """What Spark needs to write it, beside the jars that all formats need."""
    newest: Callable[[Disk, str], str] | None = None
    """The location of the newest metadata that Spark wrote under a key, for a format that is a target, too."""
    write: Callable[[BatteryTable, Path], dict[str, Any]] | None = None
    """Writes a table of the battery into a folder, in this process, and returns its facts; None if Spark writes it."""
    write_at: Callable[[BatteryTable, Path, str], dict[str, Any]] | None = None
    """The same, for a format whose metadata names files by their addresses: the table's is given."""
    libraries: Callable[[], tuple[str, ...]] = tuple
    """What that process installs for it, beside the suite's own requirements."""
    is_local: bool = False
    """Whether XTable reads it by addresses of the local disk alone."""
    has_own_jars: bool = False
    """Whether XTable leaves it to its users to add what reads it."""
    as_target: str = ""
    """What XTable calls it as a target, to which it is not translated."""
    is_translated: bool = True
    """Whether XTable is to translate it. What is not serves as a control."""

    @property
    def has_statistics(self) -> bool:
        """Whether the format has any of its own."""
        return self.statistics is not None or self.statistics_then is not None
