"""A table's folder, read-only: listings and small files, with errors in one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import quote

import pyarrow as pa
from pyarrow import fs

from xtable_audit.access.access import Access
from xtable_audit.model.limits import in_rounds
from xtable_audit.model.malformed import Malformed, TooLarge, first_line, given_up
from xtable_audit.model.objects import HELD, Objects
from xtable_audit.model.problem import Problem, Unreachable

# Paths in URIs (RFC 3986, Path).

AS_IT_IS = "/!*'()@&=+$,;:"
"""What the path of a URI has as it is, beside letters, digits and what `quote` never encodes."""


def needs_encoding(path: str) -> bool:
    """Whether a URI has the path below a table in another form. A colon in its first part would end a scheme. Java's
    URIs have what is beyond ASCII as it is.
    """
    return ":" in path.partition("/")[0] or any(quote(one, safe=AS_IT_IS) != one for one in path if one.isascii())


ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
"""How an address begins (RFC 3986, Scheme)."""
LARGEST = 256 << 20
"""Bytes of a file of a timeline or a log; a larger one is not read."""


def place_of(address: str) -> str:
    """An address without its scheme's variant and its last slash: two that are equal name the same place."""
    return re.sub(r"^s3[an]://", "s3://", re.sub(r"^file:(//)?", "", address)).rstrip("/")


def address_below(root: str, path: str) -> str:
    """The address of a path in the log of the table at `root`."""
    return path if path.startswith("/") or ADDRESS.match(path) else f"{root}/{path}"


@dataclass(frozen=True)
class TableFolder:
    """The table's root and access to it."""

    root: str
    objects: Objects

    @classmethod
    def at(cls, location: str, access: Access | None = None) -> TableFolder:
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

    def address(self, path: str) -> str:
        """The address of a path in a table's log, which is relative to the table, or an address."""
        return address_below(self.root, path)

    def name(self, uri: str) -> str:
        """The path below the folder of an address that `holds` is true of."""
        return uri.removeprefix(f"{self.root}/")

    def holds(self, uri: str) -> bool:
        """Whether that address is below the folder."""
        below = self.name(uri)
        return below != uri and ".." not in below.split("/")

    def names(self, folder: str, *, below: bool = False) -> list[str]:
        """The files of a folder by their path in it, those `below` it too; empty if it does not exist."""
        return list(self.sizes(folder, below=below))

    def sizes(self, folder: str, *, below: bool = False) -> dict[str, int]:
        """As `names`, with their sizes in bytes."""
        return {name: info.size for name, info in self.infos(folder, below=below).items()}

    def infos(self, folder: str = "", *, below: bool = False) -> dict[str, fs.FileInfo]:
        """As `names`, with their sizes and times of modification."""
        path = self.objects.path(self.uri(folder).rstrip("/"))
        try:
            infos = self.objects.filesystem.get_file_info(fs.FileSelector(path, allow_not_found=True, recursive=below))
        except (OSError, pa.ArrowException) as error:
            raise Unreachable(f"{self.root} cannot be listed: {first_line(error)}") from error
        shown = len(path.lstrip("/"))  # a filesystem over a part of another answers without the first slash
        files = {info.path.lstrip("/")[shown:].lstrip("/"): info for info in infos if info.type == fs.FileType.File}
        return dict(sorted(files.items()))

    def exists(self, folder: str = "") -> bool:
        """Whether there is that folder, by default the root. Raises Unreachable."""
        path = self.objects.path(self.uri(folder).rstrip("/"))
        try:
            return bool(self.objects.filesystem.get_file_info(path).type == fs.FileType.Directory)
        except (OSError, pa.ArrowException) as error:
            raise Unreachable(f"{self.root} cannot be reached: {first_line(error)}") from error

    def size(self, name: str) -> int | None:
        """The size of a file; None if there is none. Raises Unreachable."""
        try:
            return self.objects.size(self.uri(name))
        except Malformed as error:
            raise Unreachable(f"{self.root} cannot be reached: {error.reason}") from error

    def read(self, name: str) -> bytes:
        """Raises Malformed for a file that cannot be read, TooLarge for one that is too large."""
        self._size_to_read(name)
        return self._content(name)

    def read_all(self, names: Sequence[str]) -> Iterator[bytes]:
        """Their content, in order. Many are read at once where a store makes each wait. Raises as `read`."""
        if len(names) == 1:  # spares the threads: of a young table there is one commit
            yield self.read(names[0])
            return
        sizes = dict(zip(names, self.objects.each(self._size_to_read, names, self._given_up), strict=True))
        for some in in_rounds(names, sizes.__getitem__, HELD):
            yield from self.objects.each(self._content, some, self._given_up)

    def _size_to_read(self, name: str) -> int:
        size = self.size(name) or 0  # of a file that is gone: reading it says so
        if size > LARGEST:
            raise TooLarge(self.uri(name), f"has {size:,} bytes, more than is read of a table's metadata")
        return size

    def _content(self, name: str) -> bytes:
        return self.objects.read(self.uri(name))

    def _given_up(self, name: str, error: TimeoutError) -> NoReturn:
        given_up(self.uri(name), error)
