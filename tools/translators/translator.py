"""What a translator is, to the tool that runs all of them, and the recorded source tables that it is given."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lab.provision.plan import PAIMON, WITHOUT_LOG
from lab.stack.cache import Cache
from spark_jobs.battery.table import BatteryTable
from xtable.replay import BATTERY_RECORDINGS, SOURCES, recordings_of, unpacked
from xtable_audit.formats.delta.log import LogFiles
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.paimon.state import newest
from xtable_audit.table.synced import Synced

# The recorded source tables, each restored to a folder of this disk.

ARCHIVES: Mapping[str, Path] = {
    "PARQUET": recordings_of(WITHOUT_LOG),
    "PAIMON": recordings_of(PAIMON),
    "DELTA": BATTERY_RECORDINGS,
}
"""Source format -> the folder of the archive with its tables."""
LEFT_OUT: Mapping[str, str] = dict.fromkeys(
    ("delta_shallow_clone", "delta_parquet_clone"), "its log names files at the address where it was written"
)
"""Tables that can be translated only where they were written, each with the reason."""


@dataclass(frozen=True)
class OwnCopy:
    """A table that one translator has for itself. `folder` is absolute."""

    table: BatteryTable
    folder: Path

    @property
    def name(self) -> str:
        return self.table.name

    @property
    def format(self) -> str:
        """PARQUET, DELTA or PAIMON."""
        return self.table.format

    @property
    def newest(self) -> Synced:
        """Its newest commit, which is what a translator translates."""
        folder = TableFolder.at(str(self.folder))
        if self.format == "DELTA":
            return Synced(datetime.now(UTC), str(LogFiles.of(folder).newest))
        if self.format == "PAIMON":
            return newest(folder)
        return Synced(datetime.now(UTC))


def restored(tables: Collection[BatteryTable], to: Path) -> Iterator[OwnCopy]:
    """Each table in its newest recorded state, in a folder of its own below `to`. Raises Problem for a bad one."""
    archives = {one.format: unpacked(ARCHIVES[one.format], Cache(), SOURCES) for one in tables}
    for table in tables:
        folder = to.absolute() / table.name
        shutil.copytree(archives[table.format] / SOURCES / table.name, folder)
        yield OwnCopy(table, folder)


# What a translator is, to the tool that runs all of them.


class NotTranslated(Exception):
    """The words of a translator that does not translate a table."""


Translate = Callable[[OwnCopy], str]
"""Writes Iceberg metadata for the source and returns the location of its metadata.json. Raises Refused."""


@dataclass(frozen=True)
class MetadataTranslator:
    """Something that writes Iceberg metadata over the data files of a table of another format."""

    id: str
    """As `--only` names it."""
    words: str
    """As its users call it, in Markdown, so that its version fits behind: "`add_files` of PyIceberg"."""
    version: str
    takes: tuple[str, ...]
    """Formats of its sources: PARQUET, DELTA, PAIMON."""
    needs: tuple[str, ...]
    """Packages of Python, or coordinates in a Maven repository."""
    asked: str
    """What it is asked for, in a sentence."""
    opened: Callable[[Path], AbstractContextManager[Translate]]
    """Starts it. What it writes, beside what goes into the source's own folder, goes below the path."""
    of_caller: tuple[str, ...] = ()
    """Claims about what its caller chooses, here this tool: their failures accuse no translator."""
    folder: str = "tables"
    """The name of the folder that its source tables lie in."""
