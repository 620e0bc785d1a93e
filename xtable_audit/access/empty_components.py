"""S3 keys with an empty component (`…//data/…`), as tables have them whose location ends in a slash.

S3 allows them, and Arrow's client refuses them: botocore reads these alone.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from errno import ENOENT
from functools import cached_property
from typing import Any

import pyarrow as pa
from pyarrow import fs

from xtable_audit.access.read_only import ReadOnly
from xtable_audit.access.s3 import S3

CHUNK = 1 << 20
"""Bytes that are asked for at once, at least."""
MISSING = ("404", "NoSuchKey", "NoSuchBucket")
"""Error codes of what is not there."""


class AnyKey(ReadOnly):
    """A read-only filesystem of S3 whose paths may have empty components."""

    def __init__(self, filesystem: fs.FileSystem, s3: S3, proxy: str | None = None) -> None:
        super().__init__(filesystem)
        self._s3, self._proxy = s3, proxy

    def normalize_path(self, path: str) -> str:
        return path if has_empty_component(path) else super().normalize_path(path)

    def get_file_info(self, paths: list[str]) -> list[fs.FileInfo]:
        usual = [path for path in paths if not has_empty_component(path)]
        infos = dict(zip(usual, super().get_file_info(usual), strict=True))
        return [infos[path] if path in infos else self._info(path) for path in paths]

    def get_file_info_selector(self, selector: fs.FileSelector) -> list[fs.FileInfo]:
        if not has_empty_component(selector.base_dir):
            return super().get_file_info_selector(selector)
        return list(self._below(selector.base_dir, selector.recursive))

    def open_input_stream(self, path: str) -> pa.NativeFile:
        return self.open_input_file(path) if has_empty_component(path) else super().open_input_stream(path)

    def open_input_file(self, path: str) -> pa.NativeFile:
        if not has_empty_component(path):
            return super().open_input_file(path)
        info = self._info(path)
        if info.type != fs.FileType.File:
            raise FileNotFoundError(ENOENT, "there is no such object", path)
        return pa.PythonFile(io.BufferedReader(Ranges(self._client, path, info.size), CHUNK), mode="r")

    @cached_property
    def _client(self) -> Any:
        return self._s3.botocore(self._proxy)

    def _info(self, path: str) -> fs.FileInfo:
        try:
            with _as_of_a_store():
                head = self._client.head_object(**_place(path))
        except FileNotFoundError:
            return fs.FileInfo(path, fs.FileType.NotFound)
        return _of_file(path, head["ContentLength"], head["LastModified"])

    def _below(self, folder: str, recursive: bool) -> Iterator[fs.FileInfo]:
        """Files alone: nothing here asks for folders."""
        bucket, _, prefix = folder.partition("/")
        arguments = {"Bucket": bucket, "Prefix": f"{prefix}/"} | ({} if recursive else {"Delimiter": "/"})
        with _as_of_a_store():
            for page in self._client.get_paginator("list_objects_v2").paginate(**arguments):
                for one in page.get("Contents", ()):
                    if not one["Key"].endswith("/"):
                        yield _of_file(f"{bucket}/{one['Key']}", one["Size"], one["LastModified"])


class Ranges(io.RawIOBase):
    """One object, read by ranges."""

    def __init__(self, client: Any, path: str, size: int) -> None:
        self._client, self._path, self._size, self._at = client, path, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        end = min(self._at + len(buffer), self._size)
        if end <= self._at:
            return 0
        with _as_of_a_store():
            answer = self._client.get_object(**_place(self._path), Range=f"bytes={self._at}-{end - 1}")
            content = answer["Body"].read()
        if len(content) != end - self._at:
            raise OSError(f"AWS Error: {len(content)} bytes are the answer to a request for {end - self._at}")
        buffer[: len(content)] = content
        self._at += len(content)
        return len(content)


def has_empty_component(path: str) -> bool:
    return "//" in path


def _place(path: str) -> dict[str, str]:
    bucket, _, key = path.partition("/")
    return {"Bucket": bucket, "Key": key}


def _of_file(path: str, size: int, time: datetime) -> fs.FileInfo:
    return fs.FileInfo(path, fs.FileType.File, size=size, mtime=time)


@contextmanager
def _as_of_a_store() -> Iterator[None]:
    """Raises FileNotFoundError for what is not there, and OSError in the words of `of_store` for all else."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") in MISSING:
            raise FileNotFoundError(ENOENT, "there is no such object") from error
        raise OSError(f"AWS Error: {error}") from error
    except BotoCoreError as error:
        raise OSError(f"AWS Error: {error}") from error
