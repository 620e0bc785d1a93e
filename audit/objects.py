"""Where the judge reads bytes from: a filesystem and the rule from a table's absolute addresses to its paths."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyarrow import fs

from audit.malformed import Malformed, first_line


@dataclass(frozen=True)
class Objects:
    """A `pyarrow.fs` filesystem addressed by the URIs that Iceberg metadata holds.

    `s3://bucket/key` and `s3a://bucket/key` become the path `bucket/key`, so an S3 filesystem and a local mirror
    (a `SubTreeFileSystem` over a folder that holds `bucket/key`) serve the same metadata.
    """

    filesystem: fs.FileSystem

    def path(self, uri: str) -> str:
        scheme, separator, rest = uri.partition("://")
        if not separator:
            return uri.removeprefix("file:")
        return rest if scheme != "file" else "/" + rest.lstrip("/")

    def read(self, uri: str) -> bytes:
        """The bytes of one object. Raises Malformed where it is missing or cannot be read."""
        try:
            with self.filesystem.open_input_stream(self.path(uri)) as stream:
                return bytes(stream.read())
        except FileNotFoundError:
            raise Malformed(uri, "is named by the metadata but does not exist") from None
        except (OSError, pa.ArrowException) as error:
            raise Malformed(uri, f"cannot be read: {first_line(error)}") from error

    def size(self, uri: str) -> int | None:
        """The object's size in bytes, None where there is no such object. Raises Malformed if the store won't say."""
        try:
            info = self.filesystem.get_file_info(self.path(uri))
        except (OSError, pa.ArrowException) as error:
            raise Malformed(uri, f"cannot be looked up: {first_line(error)}") from error
        return info.size if info.type == fs.FileType.File else None
