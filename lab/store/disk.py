"""The tables of a run as files of this disk, under the addresses that they would have in the store.

`view/` shows what the cache keeps, by links: the judge and PyIceberg read it. `mount/` is what Hadoop's programs see
(`lab.stack.mount`): a table while XTable translates it is a copy there, and before and after that a link into the view.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyarrow import fs

from lab.store.address import TABLES, Addresses, LocalBucket
from lab.store.tables import Mounted, MountedLocally

CONTROL = "control"
"""The folder of the control translator's metadata in a bucket."""
MOUNT = "mount"
METADATA = "metadata"
"""The folder of a table's Iceberg metadata."""


@dataclass(frozen=True)
class Disk(Addresses):
    """Below `folder`. Plain values, so that other processes can receive it."""

    folder: Path
    bucket: str

    @property
    def filesystem(self) -> fs.FileSystem:
        """The view; its paths are `bucket/key`."""
        return fs.SubTreeFileSystem(str(self._view), fs.LocalFileSystem(use_mmap=False))

    def pyiceberg(self) -> dict[str, str]:
        """PyIceberg's FileIO properties, by which it reads and writes the view."""
        return {"py-io-impl": "lab.store.disk_io.DiskIO", "folder": str(self._view)}

    def key(self, uri: str) -> str:
        """As `Addresses.key`; of an address of the local disk, too, where the mount has the table."""
        locally = LocalBucket(self.bucket).uri("")
        return uri.removeprefix(locally) if uri.startswith(locally) else super().key(uri)

    def delta(self, root: str) -> tuple[str, dict[str, str]]:
        """Where delta-rs finds a table of the view, and the options of its object store."""
        return str(self.path(self.key(root))), {}

    def mounted(self, mount: str = MOUNT) -> Mounted:
        """What Hadoop's programs see. A mount of another name has the tables that are translated there alone."""
        folder = self.folder / mount
        return Mounted(folder, self.bucket, {TABLES: folder / self.bucket / TABLES, CONTROL: self.path(CONTROL)})

    def mounted_locally(self, mount: str = MOUNT) -> MountedLocally:
        """The tables of the mount as Hadoop's programs see them at addresses of the local disk."""
        folder = self.folder / mount
        return MountedLocally(folder, self.bucket, {TABLES: folder / self.bucket / TABLES})

    def path(self, key: str) -> Path:
        """The file or folder in the view."""
        return self._view / self.bucket / key

    def show(self, prefix: str, tree: Path) -> None:
        """Shows the files of `tree` under `prefix`."""
        place = self.path(prefix)
        place.mkdir(parents=True, exist_ok=True)
        for child in tree.iterdir():
            _link(place / child.name, child)
        self._show_to_hadoop(prefix)

    def show_whole(self, prefix: str, folder: Path) -> None:
        """Shows `folder` itself under `prefix`: what is written there goes to it."""
        _link(self.path(prefix), folder)

    def show_metadata(self, prefix: str, metadata: Path, folder: str = METADATA) -> None:
        """Shows the files of `metadata` as the folder of the table under `prefix`, by default its Iceberg metadata."""
        _link(self.path(prefix) / folder, metadata)

    def files(self, prefix: str) -> dict[str, Path]:
        """Key -> file of everything that is shown under `prefix`."""
        root = self._view / self.bucket
        walked = os.walk(root / prefix, followlinks=True)
        paths = (Path(folder) / name for folder, _, names in walked for name in names)
        return {path.relative_to(root).as_posix(): path for path in sorted(paths)}

    @contextmanager
    def in_translation(self, prefix: str, mount: str = MOUNT) -> Iterator[Mounted]:
        """The mount with a folder of its own under `prefix`, empty at first, in place of what is shown there."""
        place = self.folder / mount / self.bucket / prefix
        place.unlink(missing_ok=True)
        place.mkdir(parents=True)
        try:
            yield self.mounted(mount)
        finally:
            shutil.rmtree(place)
            if mount == MOUNT:
                self._show_to_hadoop(prefix)

    def _show_to_hadoop(self, prefix: str) -> None:
        _link(self.folder / MOUNT / self.bucket / prefix, self.path(prefix))

    @property
    def _view(self) -> Path:
        return self.folder / "view"


def _link(place: Path, to: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_name(f".{place.name}.new")
    new.unlink(missing_ok=True)
    new.symlink_to(to.absolute())
    new.replace(place)
