"""Access to a table's files: a filesystem, and the mapping from absolute URIs to its paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from errno import ENAMETOOLONG, ENOENT
from threading import Lock

import pyarrow as pa
from cachetools import LRUCache
from pyarrow import fs

from xtable_audit.model.limits import LIMITS, Limits
from xtable_audit.model.malformed import Malformed, TooLarge, Unread, check_reachable, first_line
from xtable_audit.model.time_limits import Item, Patience, T

SMALL = 4 << 20
"""Maximum size in bytes of an object that is fetched whole."""
USUAL = 8 << 20
"""Bytes of a metadata file, for the time that it may take: they are not known before it is opened."""
REMEMBERED = 128 << 20
"""Bytes of small objects kept in memory."""
HELD = 32 << 20
"""Bytes of objects that are read many at once, and held until the first of them is decoded."""

OPTION = "--max-metadata MiB"
"""The option that raises the limits."""


@dataclass(frozen=True)
class Objects:
    """A `pyarrow.fs` filesystem addressed by the URIs in Iceberg metadata.

    `s3://bucket/key` and `s3a://bucket/key` become the path `bucket/key`, so an S3 filesystem and a local mirror
    (a `SubTreeFileSystem` over a folder that holds `bucket/key`) serve the same metadata.
    """

    filesystem: fs.FileSystem
    limits: Limits = LIMITS
    at_once: int = field(default=1, compare=False)
    """How many small ones are best read at once: many of a store that makes each wait, and one of a disk, since two
    threads that fight for Python's lock take twice as long as one (docs/measured.md).
    """

    @property
    def patience(self) -> Patience | None:
        """With a store that is slow; None for files that are waited for without end."""
        return None

    def path(self, uri: str) -> str:
        scheme, separator, rest = uri.partition("://")
        if not separator:
            return uri.removeprefix("file:")
        return rest if scheme != "file" else "/" + rest.lstrip("/")

    def open(self, uri: str) -> pa.NativeFile:
        """Opens one object for random access. Raises FileNotFoundError or another Arrow error."""
        path = self.path(uri)
        if _holds_an_address(path):
            raise FileNotFoundError(ENOENT, "an address inside another one is no object's", uri)
        return self.filesystem.open_input_file(path)

    def outside(self, uri: str) -> str | None:
        """Why this address is not opened, after "is …" or "which is …"; None if it may be."""
        return None

    def first_outside(self, uris: pa.Array | pa.ChunkedArray) -> tuple[int, str] | None:
        """The place of the first address that is not opened, and why; None if all may be."""
        return None

    def read(self, uri: str, offset: int = 0, length: int | None = None) -> bytes:
        """The bytes of one metadata file, or `length` of them from `offset`: fewer where it ends before. Raises
        Malformed if it is missing or cannot be read, TooLarge by how many they are.
        """
        try:
            return self.within(lambda: self._content(uri, offset, length), USUAL)
        except FileNotFoundError:
            raise Malformed(uri, "is named by the metadata but does not exist") from None
        except (OSError, pa.ArrowException) as error:
            check_reachable(uri, error)
            raise Malformed(uri, f"cannot be read: {first_line(error)}") from error

    def _content(self, uri: str, offset: int, length: int | None) -> bytes:
        with self.open(uri) as stream:
            left = max(0, stream.size() - offset)
            size = left if length is None else max(0, min(length, left))
            if size > self.limits.metadata:
                raise too_large(uri, f"has {size:,} bytes", self.limits.metadata)
            return bytes(stream.read_at(size, offset)) if size else b""

    def within(self, work: Callable[[], T], size: int = 0) -> T:
        """What `work`, which reads `size` bytes, returns or raises: TimeoutError where the store may take no longer."""
        return work() if self.patience is None else self.patience.within(work, size)

    def each(
        self,
        work: Callable[[Item], T],
        items: Sequence[Item],
        late: Callable[[Item, TimeoutError], T],
        at_once: int | None = None,
    ) -> list[T]:
        """As `Patience.each`: `work` reads of these objects. `at_once` is None for as many as is best."""
        return (self.patience or Patience.without_end()).each(work, items, at_once or self.at_once, late)

    def kept(
        self,
        what: str,
        given: Callable[[], str],
        uris: Iterable[str],
        work: Callable[[Objects], T],
        is_sure: Callable[[T], bool] = lambda _: True,
    ) -> T:
        """What `work` makes of these objects, or what an earlier run made of the same ones, where such is kept.

        It is kept under its name, the digest that `given` makes of all that decides it but objects, and the content of
        these and of every other object that `work` opens. `is_sure` tells whether it may be: it does not depend on a
        store that failed.
        """
        return work(self)

    def size(self, uri: str) -> int | None:
        """The object's size in bytes, or None if it does not exist. Raises Unread or Unreachable if the store fails."""
        path = self.path(uri)
        if _holds_an_address(path):
            return None
        try:
            info = self.filesystem.get_file_info(path)
        except (OSError, pa.ArrowException) as error:
            if getattr(error, "errno", None) == ENAMETOOLONG:
                return None
            check_reachable(uri, error)
            raise Unread(uri, f"cannot be looked up: {first_line(error)}") from error
        return info.size if info.type == fs.FileType.File else None

    def infos(self, uris: Sequence[str]) -> list[fs.FileInfo | None]:
        """Size and time of each object; None for what does not exist. Raises OSError or another Arrow error."""
        paths = [self.path(uri) for uri in uris]
        asked = [path for path in paths if not _holds_an_address(path)]
        infos = dict(zip(asked, self.filesystem.get_file_info(asked), strict=True))
        return [info if (info := infos.get(path)) and info.type == fs.FileType.File else None for path in paths]


def _holds_an_address(path: str) -> bool:
    """Whether an address was appended to another one. Arrow takes no such path: it has an empty component."""
    return "://" in path


@dataclass(frozen=True)
class Remembered(Objects):
    """Immutable objects. Small ones are cached, because many claims read the same few."""

    _small: LRUCache[str, pa.Buffer] = field(default_factory=lambda: LRUCache(REMEMBERED, getsizeof=len), repr=False)

    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    def open(self, uri: str) -> pa.NativeFile:
        with self._lock:
            kept = self._small.get(uri)
        if kept is not None:
            return pa.BufferReader(kept)
        source = super().open(uri)
        if source.size() > SMALL:
            return source
        with source:
            content = source.read_buffer()
        with self._lock:
            self._small[uri] = content
        return pa.BufferReader(content)

    def size(self, uri: str) -> int | None:
        try:
            with self.open(uri) as source:
                return int(source.size())
        except FileNotFoundError:
            return None
        except (OSError, pa.ArrowException) as error:
            check_reachable(uri, error)
            raise Unread(uri, f"cannot be looked up: {first_line(error)}") from error


def too_large(uri: str, what: str, limit: int) -> TooLarge:
    """`what` begins with a verb: `has 10 bytes`."""
    return TooLarge(uri, f"{what}, {beyond(limit)}")


def beyond(limit: int) -> str:
    return f"more than the limit of {limit:,}: raise it with {OPTION} if you trust the table"
