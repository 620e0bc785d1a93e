"""Where a table lies while it is translated: in the store, or mounted on this disk under the same addresses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from pyarrow import fs

from lab.store import objects
from lab.store.workspace import Workspace
from xtable_audit.access.access import Access

InTurn = Callable[[str], bool]
"""Whether the object of a key comes last, in a second of its own."""
Seconds = Literal["each", "one", "last"]
"""Which second objects get that come last: each its own, one that they share, or that of the last one before them."""


class Files(Protocol):
    """The files of tables."""

    @property
    def filesystem(self) -> fs.FileSystem:
        """Its paths are `bucket/key`."""
        ...


class Tables(Files, Protocol):
    """The tables below a bucket's keys, which XTable reads and writes meanwhile."""

    def uri(self, key: str) -> str: ...

    def hadoop(self) -> Mapping[str, str]:
        """Hadoop's settings, by which XTable reaches the tables."""
        ...

    def versions(self, prefix: str) -> dict[str, str]:
        """Key -> what changes with the bytes, of every object under `prefix/`."""
        ...

    def restore(
        self, prefix: str, folder: Path, spare: str = "", in_turn: InTurn | None = None, *, seconds: Seconds = "each"
    ) -> None:
        """Makes the objects under `prefix/` equal to the files under `folder`. Never deletes under `prefix/<spare>/`.

        An object that is equal already is left alone, and so keeps its time of modification. Those whose keys are
        `in_turn` have later times than all before them: each a second of its own, in the order of their keys, which is
        how fine S3's times are; or as `seconds` says. Raises ValueError for "last" in a store, which sets times itself.
        """
        ...

    def download(self, prefix: str, folder: Path) -> object:
        """Copies every object under `prefix/` into `folder`, which is created if necessary."""
        ...


@dataclass(frozen=True)
class InStore:
    """The tables in the store itself, through S3A."""

    store: Workspace

    @property
    def filesystem(self) -> fs.FileSystem:
        return Access(self.store).objects(self.uri("")).filesystem

    def uri(self, key: str) -> str:
        return self.store.uri(key)

    def hadoop(self) -> Mapping[str, str]:
        return self.store.hadoop()

    def versions(self, prefix: str) -> dict[str, str]:
        return objects.versions_of(self.store, prefix)

    def restore(
        self, prefix: str, folder: Path, spare: str = "", in_turn: InTurn | None = None, *, seconds: Seconds = "each"
    ) -> None:
        if seconds == "last":
            raise ValueError(f"{self.uri(prefix)}: a store sets the times of its objects itself")
        objects.restore(self.store, prefix, folder, spare, in_turn, in_one_second=seconds == "one")

    def download(self, prefix: str, folder: Path) -> object:
        return objects.download(self.store, prefix, folder)
