"""A table's folder, read-only: listings and small files, with errors in one sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyarrow as pa
from pyarrow import fs

from xtable_audit.access.access import Access
from xtable_audit.model.malformed import Malformed, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem, Unreachable

THREADS = 8
"""Small files that are read at once: each is a wait for the store."""
LARGEST = 256 << 20
"""Bytes of a file of a timeline or a log; a larger one is not read."""


def place_of(address: str) -> str:
    """An address without its scheme's variant and its last slash: two that are equal name the same place."""
    return re.sub(r"^s3[an]://", "s3://", re.sub(r"^file:(//)?", "", address)).rstrip("/")


@dataclass(frozen=True)
class Folder:
    """The table's root and access to it."""

    root: str
    objects: Objects

    @classmethod
    def at(cls, location: str, access: Access | None = None) -> Folder:
        """Raises Problem for an address that is neither local nor S3, Unreachable if the store does not answer."""
        root = location.rstrip("/")
        try:
            return cls(root, (access or Access()).objects(root))
        except ValueError as error:
            raise Problem(f"{error}; name the table's root folder") from error
        except (Problem, OSError) as error:  # no credential, or no answer
            raise Unreachable(f"{location} cannot be reached: {first_line(error)}") from error

    def uri(self, name: str) -> str:
        return f"{self.root}/{name}"

    def holds(self, uri: str) -> bool:
        """Whether that address is below the folder."""
        below = uri.removeprefix(f"{self.root}/")
        return below != uri and ".." not in below.split("/")

    def names(self, folder: str, *, below: bool = False) -> list[str]:
        """The files of a folder by their path in it, those `below` it too; empty if it does not exist."""
        return list(self.sizes(folder, below=below))

    def sizes(self, folder: str, *, below: bool = False) -> dict[str, int]:
        """As `names`, with their sizes in bytes."""
        path = self.objects.path(self.uri(folder).rstrip("/"))
        try:
            infos = self.objects.filesystem.get_file_info(fs.FileSelector(path, allow_not_found=True, recursive=below))
        except (OSError, pa.ArrowException) as error:
            raise Unreachable(f"{self.root} cannot be listed: {first_line(error)}") from error
        files = [info for info in infos if info.type == fs.FileType.File]
        return dict(sorted((info.path.removeprefix(path).lstrip("/"), info.size) for info in files))

    def size(self, name: str) -> int | None:
        """The size of a file; None if there is none. Raises Unreachable."""
        try:
            return self.objects.size(self.uri(name))
        except Malformed as error:
            raise Unreachable(f"{self.root} cannot be reached: {error.reason}") from error

    def read(self, name: str) -> bytes:
        """Raises Problem for a file that is too large, or cannot be read."""
        size = self.size(name)
        if size is not None and size > LARGEST:
            raise Problem(f"{self.uri(name)} has {size:,} bytes, more than is read of a table's metadata")
        try:
            return self.objects.read(self.uri(name))
        except Malformed as error:
            raise Problem(str(error)) from error
