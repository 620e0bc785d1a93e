"""Every recorded table of the battery on this disk, where executors reach it too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa
from pyarrow import fs

from lab.store.address import prefix_of
from tests.tables.recorded import RecordedSync, folder_of, syncs
from tools.pages.affected import recorded_sources
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import IsNull
from xtable_audit.scan import Scanner, live_files
from xtable_audit.table.stored_metrics import StoredMetrics

RELEASE = "0.4.0-incubating"


@dataclass(frozen=True)
class Mirror:
    """A folder that holds bucket/key."""

    folder: Path

    def objects(self) -> Objects:
        return Objects(fs.SubTreeFileSystem(str(self.folder), fs.LocalFileSystem()))


def mirrored(folder: Path) -> Mirror:
    """The tables' files under their addresses: linked, not copied."""
    bucket = folder / "xtable-audit" / prefix_of("")
    for root in (recorded_sources(), folder_of(RELEASE)):
        for path in filter(Path.is_file, root.glob("*/**/*")):
            place = bucket / path.relative_to(root)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(path)
    return Mirror(folder)


@cache
def last_syncs() -> dict[str, RecordedSync]:
    return {sync.table: sync for sync in syncs() if sync.release == RELEASE}


@cache
def table(mirror: Mirror, name: str) -> StoredMetrics:
    """The table as its last sync left it."""
    return read_stored_metrics(mirror.objects(), last_syncs()[name].location)


def looked_up(scanner: Scanner, mirror: Mirror, stored: StoredMetrics) -> pa.Table:
    return scanner.look_up(live_files(mirror.objects(), stored))


def measured(scanner: Scanner, mirror: Mirror, stored: StoredMetrics) -> pa.Table:
    return scanner.measure(live_files(mirror.objects(), stored), stored.native.wanted(stored))


def counted(scanner: Scanner, mirror: Mirror, stored: StoredMetrics) -> pa.Table:
    """Rows whose first text is not null."""
    column = next(leaf.column for leaf in stored.leaves if leaf.column.arrow == pa.string())
    return scanner.count(live_files(mirror.objects(), stored), [column], [IsNull(column.path, negated=True)])
