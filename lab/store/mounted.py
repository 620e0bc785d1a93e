"""Tables on this disk that Hadoop's programs see under addresses of the store, while XTable translates them."""

from __future__ import annotations

import filecmp
import hashlib
import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pyarrow import fs

from lab.stack.mount import VIEW, Mount
from lab.store.addresses import Addresses, LocalAddresses
from lab.store.tables import InTurn, Seconds

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
