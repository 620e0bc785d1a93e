"""Access to the files of one table alone, whatever addresses its metadata names."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import fs

from xtable_audit.model.malformed import Outside, check_reachable
from xtable_audit.model.objects import Objects
from xtable_audit.model.time_limits import Patience

LOCAL = ("", "file")
S3 = ("s3", "s3a", "s3n")


def root_of(metadata_location: str, own: Collection[str]) -> str:
    """The folder that a table may use without being asked: the one around the folder of its metadata, which formats
    name as in `own`: `metadata`, `_delta_log`.

    Metadata in a folder of another name, or in one at the root of a disk, opens its own folder alone. What the
    file itself calls the table's location does not count: a stranger wrote it.
    """
    scheme, path = _split(metadata_location)
    if scheme in LOCAL:
        folder = os.path.dirname(os.path.abspath(path))
        above, name = os.path.split(folder)
        return above if name in own and above != os.path.dirname(above) else folder
    folder = path.rpartition("/")[0]
    above, separator, name = folder.rpartition("/")
    return f"{scheme}://{above if name in own and separator else folder}"


@dataclass(frozen=True)
class AllowedFolder:
    """A folder whose files may be read."""

    address: str
    objects: Objects

    def holds(self, address: str) -> bool:
        theirs = _place(address)
        return self._beginning is not None and theirs is not None and theirs.startswith(self._beginning)

    @cached_property
    def _beginning(self) -> str | None:
        """Of the places of its files."""
        place = _place(self.address)
        return place and f"{place.rstrip('/')}/"


@dataclass(frozen=True)
class Confined(Objects):
    """The files below some folders. Every other address raises Outside, before anything is asked of a store.

    A local path counts as what its symbolic links resolve to, and only regular files are opened: a pipe may never end.
    """

    folders: tuple[AllowedFolder, ...] = ()
    patience: Patience | None = None

    def open(self, uri: str) -> pa.NativeFile:
        folder = self._folder(uri)
        if _is_local(uri) and not _is_regular(uri):
            raise OSError("it is no regular file")
        return self.within(lambda: folder.objects.open(uri))

    def size(self, uri: str) -> int | None:
        folder = self._folder(uri)
        try:
            return self.within(lambda: folder.objects.size(uri))
        except TimeoutError as error:
            check_reachable(uri, error)
            raise

    def infos(self, uris: Sequence[str]) -> list[fs.FileInfo | None]:
        found: dict[str, fs.FileInfo | None] = {}
        for folder in self.folders:
            mine = [uri for uri in uris if uri not in found and folder.holds(uri)]
            infos = self.within(partial(folder.objects.infos, mine)) if mine else []
            found |= dict(zip(mine, infos, strict=True))
        return [found.get(uri) for uri in uris]

    def outside(self, uri: str) -> str | None:
        if any(folder.holds(uri) for folder in self.folders):
            return None
        allowed = " and ".join(folder.address.rstrip("/") + "/" for folder in self.folders)
        return f"outside {allowed}, so it was not opened. {_advice(uri)}"

    def first_outside(self, uris: pa.Array | pa.ChunkedArray) -> tuple[int, str] | None:
        """Asks `outside` once for each folder, and again for each name in it that may lead out of it: a symbolic link,
        or dots.
        """
        folders = pc.replace_substring_regex(uris, NAME, "")
        within = [one for one in pc.unique(folders.drop_null()).to_pylist() if self.outside(f"{one}-") is None]
        links = [link for one in within if _is_local(one) for link in _links(one)]
        plain = pc.and_(
            pc.is_in(folders, pa.array(within, pa.string())), pc.invert(pc.match_substring_regex(uris, ODD))
        )
        doubtful = pc.or_(pc.invert(plain), pc.is_in(uris, pa.array(links, pa.string()))).fill_null(True)
        for place in np.flatnonzero(doubtful).tolist():
            if (why := self.outside(str(uris[place]))) is not None:
                return place, why
        return None

    def _folder(self, uri: str) -> AllowedFolder:
        for folder in self.folders:
            if folder.holds(uri):
                return folder
        raise Outside(uri, f"is {self.outside(uri)}")


NAME, ODD = r"[^/]*$", r"\x00|(^|/)[.]{0,2}$"
"""Of addresses: the name in its folder; no plain name."""


def _links(folder: str) -> list[str]:
    """The addresses of the symbolic links in a local folder, whose address ends in a slash if it has one."""
    try:
        with os.scandir(_split(folder)[1] or ".") as entries:
            return [f"{folder}{entry.name}" for entry in entries if entry.is_symlink()]
    except OSError:
        return []  # there is none


def _advice(uri: str) -> str:
    scheme, separator, rest = uri.partition("://")
    folder = rest.rpartition("/")[0]
    if _place(uri) is None or (separator and scheme not in (*LOCAL, *S3)) or not folder:
        return "It is no address of a file that may be allowed"
    return f"If the table owns that folder, allow it: --allow-prefix {scheme}{separator}{folder}/"


def _is_local(uri: str) -> bool:
    return _split(uri)[0] in LOCAL


def _is_regular(uri: str) -> bool:
    return stat.S_ISREG(os.stat(_split(uri)[1]).st_mode)


def _split(uri: str) -> tuple[str, str]:
    """Scheme and path, as `Objects.path` has it."""
    scheme, separator, rest = uri.partition("://")
    if not separator:
        return "", uri.removeprefix("file:")
    return scheme, f"/{rest.lstrip('/')}" if scheme in LOCAL else rest


def _place(uri: str) -> str | None:
    """Scheme and path in one form for all spellings of an address; None if it has no safe one."""
    if "\0" in uri:
        return None
    scheme, path = _split(uri)
    if scheme in LOCAL:
        return f"file://{os.path.realpath(path)}"
    if {".", ".."} & set(path.split("/")):
        return None  # no store resolves them, but a client may
    return f"{'s3' if scheme in S3 else scheme}://{path}"
