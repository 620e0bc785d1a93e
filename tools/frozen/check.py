"""What `xtable-audit check` says of recorded tables, each as the newest recorded release left it.

The check knows no source and no history of a user's table, so of the same metadata it checks other claims than an
audit, and reports other findings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pyarrow import fs

from lab.stack.cache import Cache
from lab.store.address import TABLES, root_of
from lab.store.workspace import BUCKET
from xtable.archive import unpacked
from xtable.replay import BATTERY_RECORDINGS, RECORDINGS, SOURCES, newest_recording
from xtable_audit.check.cost import ReadCost
from xtable_audit.check.options import Options
from xtable_audit.check.run import check
from xtable_audit.check.values import Progress
from xtable_audit.locate.located import Located
from xtable_audit.model.objects import Objects
from xtable_audit.report.document import Document

METADATA = "metadata"
HINT = "version-hint.text"


@dataclass(frozen=True)
class RecordedTable(Objects):
    """A recorded table at its address in the store: metadata by one release, data files as Spark wrote them."""

    filesystem: fs.FileSystem = field(default_factory=fs.LocalFileSystem)
    root: Path = Path()
    release: str = ""

    def path(self, uri: str) -> str:
        below = uri.partition(f"/{TABLES}/")[2]
        written = self.release if below.partition("/")[2].startswith(f"{METADATA}/") else SOURCES
        return str(self.root / written / below)


class Unwatched:
    """Goes on, and tells nobody."""

    def judged_metadata(self, document: Document) -> None:
        del document

    def go_on(self, cost: ReadCost) -> bool:
        return bool(cost.files)

    def progress(self, cost: ReadCost) -> Progress:
        del cost
        return lambda files, size: None


def check_recorded(names: Collection[str] = ()) -> Iterator[Document]:
    """One document a recorded table that there is metadata of; or of `names` alone."""
    for root in (RECORDINGS, unpacked(BATTERY_RECORDINGS, Cache())):
        objects = RecordedTable(root=root, release=newest_recording())
        for hint in sorted((root / objects.release).glob(f"*/{METADATA}/{HINT}")):
            name = hint.parents[1].name
            if not names or name in names:
                yield _checked(name, hint.read_text(encoding="utf-8").strip(), objects)


def _checked(name: str, version: str, objects: RecordedTable) -> Document:
    location = f"{root_of(BUCKET)}/{name}/{METADATA}/v{version}.metadata.json"
    return check(Located(name, location, objects), Options(location), Unwatched())
