"""Access to a table's files: a filesystem, and the mapping from absolute URIs to its paths."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

import pyarrow as pa
from cachetools import LRUCache
from pyarrow import fs

from xtable_audit.model.malformed import Malformed, first_line

SMALL = 4 << 20
"""Maximum size in bytes of an object that is fetched whole."""
REMEMBERED = 128 << 20
"""Bytes of small objects kept in memory."""


@dataclass(frozen=True)
class Objects:
    """A `pyarrow.fs` filesystem addressed by the URIs in Iceberg metadata.

    `s3://bucket/key` and `s3a://bucket/key` become the path `bucket/key`, so an S3 filesystem and a local mirror
    (a `SubTreeFileSystem` over a folder that holds `bucket/key`) serve the same metadata.
    """

    filesystem: fs.FileSystem

    def path(self, uri: str) -> str:
        scheme, separator, rest = uri.partition("://")
        if not separator:
            return uri.removeprefix("file:")
        return rest if scheme != "file" else "/" + rest.lstrip("/")

    def open(self, uri: str) -> pa.NativeFile:
        """Opens one object for random access. Raises FileNotFoundError or another Arrow error."""
        return self.filesystem.open_input_file(self.path(uri))

    def read(self, uri: str) -> bytes:
        """The bytes of one object. Raises Malformed if it is missing or cannot be read."""
        try:
            with self.open(uri) as stream:
                return bytes(stream.read())
        except FileNotFoundError:
            raise Malformed(uri, "is named by the metadata but does not exist") from None
        except (OSError, pa.ArrowException) as error:
            raise Malformed(uri, f"cannot be read: {first_line(error)}") from error

    def size(self, uri: str) -> int | None:
        """The object's size in bytes, or None if it does not exist. Raises Malformed if the store fails."""
        try:
            info = self.filesystem.get_file_info(self.path(uri))
        except (OSError, pa.ArrowException) as error:
            raise Malformed(uri, f"cannot be looked up: {first_line(error)}") from error
        return info.size if info.type == fs.FileType.File else None


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
            raise Malformed(uri, f"cannot be looked up: {first_line(error)}") from error
