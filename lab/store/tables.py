"""Where a table lies while it is translated: in the store, or on this disk, mounted under the store's addresses."""

from __future__ import annotations

import filecmp
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from pyarrow import fs

from lab.stack.mount import VIEW, Mount
from lab.store import objects
from lab.store.address import Addresses, LocalAddresses, Workspace
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


AN_HOUR = 3600
"""How long ago, in seconds, the first commit of a Delta table was made. One second later for each further commit."""

RAW = "org.apache.hadoop.fs.RawLocalFileSystem"
SPARK_OF_DELTA = {
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Of the Spark that XTable starts for Delta sources. It reads logs of a few actions here, for which 50 tasks and
compiled code cost three times what the work does. A table that goes through the store is read by Spark's defaults."""


@dataclass(frozen=True)
class Mounted(Addresses):
    """Below `folder`: `bucket/key`. `links` are the bucket's folders that Hadoop sees, and the folders behind them."""

    folder: Path
    bucket: str
    links: Mapping[str, Path]

    @property
    def filesystem(self) -> fs.FileSystem:
        return fs.SubTreeFileSystem(str(self.folder), fs.LocalFileSystem())

    def hadoop(self) -> Mapping[str, str]:
        """Hadoop's settings. Files are plain, as in a store: no checksum beside each."""
        settings = {"fs.file.impl": RAW, **SPARK_OF_DELTA}
        for name, folder in self.links.items():
            settings |= Mount(self.uri(name), folder).hadoop()
        return settings

    def versions(self, prefix: str) -> dict[str, str]:
        """Key -> digest of every file under `prefix/`."""
        return {key: hashlib.sha256(path.read_bytes()).hexdigest() for key, path in self._files(prefix).items()}

    def restore(
        self, prefix: str, folder: Path, spare: str = "", in_turn: InTurn | None = None, *, seconds: Seconds = "each"
    ) -> None:
        """As `Tables.restore`, without waiting for a second to pass: the times are set."""
        wanted = {f"{prefix}/{path.relative_to(folder).as_posix()}": path for path in _all_files(folder)}
        there = self._files(prefix)
        for key in there.keys() - wanted.keys():
            if not (spare and key.startswith(f"{prefix}/{spare}/")):
                self._remove(there[key], prefix)
        changed = [key for key in wanted if key not in there or not filecmp.cmp(there[key], wanted[key], shallow=False)]
        for key in changed:
            place = self._path(key)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(wanted[key], place)
        if in_turn is not None:
            late = sorted(filter(in_turn, changed))
            self._give_times(late, [path for key, path in there.items() if in_turn(key)], seconds)

    def download(self, prefix: str, folder: Path) -> None:
        for key, path in self._files(prefix).items():
            place = folder / key.removeprefix(f"{prefix}/")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)

    def _give_times(self, late: list[str], earlier: list[Path], seconds: Seconds) -> None:
        last = max((int(path.stat().st_mtime) for path in earlier if path.exists()), default=int(time.time()) - AN_HOUR)
        for number, key in enumerate(late, start=1):
            second = last + {"each": number, "one": 1, "last": 0}[seconds]
            os.utime(self._path(key), (second, second))

    def _path(self, key: str) -> Path:
        return self.folder / self.bucket / key

    def _files(self, prefix: str) -> dict[str, Path]:
        root = self.folder / self.bucket
        return {path.relative_to(root).as_posix(): path for path in _all_files(root / prefix)}

    def _remove(self, path: Path, prefix: str) -> None:
        """A store has no empty folders."""
        path.unlink()
        for folder in path.relative_to(top := self._path(prefix)).parents:
            if folder != Path() and not any((top / folder).iterdir()):
                (top / folder).rmdir()


LOG_STORES = ("io.delta.kernel.logStore.file.impl", "spark.delta.logStore.file.impl")
LOCAL_LOG_STORE = "io.delta.storage.LocalLogStore"
"""Writes a Delta log by Hadoop's `FileSystem`, which a mount is of. The one for addresses of the local disk goes by
`FileContext`, which knows no mounts."""


@dataclass(frozen=True)
class MountedLocally(LocalAddresses, Mounted):
    """The same under addresses of the local disk, for a source that XTable reads by no others."""

    def hadoop(self) -> Mapping[str, str]:
        """Hadoop sees the linked folders below the root of the local disk, and all else there as it is."""
        table = "fs.viewfs.mounttable.default"
        links = {f"{table}.link./{self.bucket}/{name}": to.absolute().as_uri() for name, to in self.links.items()}
        return {
            "fs.file.impl": VIEW,
            "fs.viewfs.overload.scheme.target.file.impl": RAW,
            f"{table}.linkFallback": "file:///",
            **dict.fromkeys(LOG_STORES, LOCAL_LOG_STORE),
            **links,
        }

    def restore(
        self, prefix: str, folder: Path, spare: str = "", in_turn: InTurn | None = None, *, seconds: Seconds = "each"
    ) -> None:
        """As `Mounted.restore`; the files have the times of those in the folder, by which XTable tells what is new."""
        super().restore(prefix, folder, spare, in_turn, seconds=seconds)
        for path in _all_files(folder):
            place = self._path(f"{prefix}/{path.relative_to(folder).as_posix()}")
            os.utime(place, ns=(path.stat().st_mtime_ns,) * 2)


def _all_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
