"""Filesystems that only read, among them S3 with keys that have an empty component."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from errno import ENOENT
from functools import cached_property
from typing import Any, NoReturn

import pyarrow as pa
from pyarrow import fs

from xtable_audit.access.s3 import S3


class ReadOnly(fs.FileSystemHandler):  # type: ignore[misc]
    """Passes reads on, and refuses everything else before any request is made.

    The filesystem's own files read the bytes, so reads have no overhead.
    """

    def __init__(self, filesystem: fs.FileSystem) -> None:
        self._filesystem = filesystem

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReadOnly) and self._filesystem == other._filesystem

    def __hash__(self) -> int:
        return hash(type(self._filesystem))

    def get_type_name(self) -> str:
        return f"read-only {self._filesystem.type_name}"

    def normalize_path(self, path: str) -> str:
        return str(self._filesystem.normalize_path(path))

    def get_file_info(self, paths: list[str]) -> list[fs.FileInfo]:
        return list(self._filesystem.get_file_info(paths))

    def get_file_info_selector(self, selector: fs.FileSelector) -> list[fs.FileInfo]:
        return list(self._filesystem.get_file_info(selector))

    def open_input_stream(self, path: str) -> pa.NativeFile:
        return self._filesystem.open_input_stream(path)

    def open_input_file(self, path: str) -> pa.NativeFile:
        return self._filesystem.open_input_file(path)

    def create_dir(self, path: str, recursive: bool) -> NoReturn:
        _refuse(path)

    def delete_dir(self, path: str) -> NoReturn:
        _refuse(path)

    def delete_dir_contents(self, path: str, missing_dir_ok: bool = False) -> NoReturn:
        _refuse(path)

    def delete_root_dir_contents(self) -> NoReturn:
        _refuse("/")

    def delete_file(self, path: str) -> NoReturn:
        _refuse(path)

    def move(self, src: str, dest: str) -> NoReturn:
        _refuse(dest)

    def copy_file(self, src: str, dest: str) -> NoReturn:
        _refuse(dest)

    def open_output_stream(self, path: str, metadata: dict[str, str] | None) -> NoReturn:
        _refuse(path)

    def open_append_stream(self, path: str, metadata: dict[str, str] | None) -> NoReturn:
        _refuse(path)


def _refuse(path: str) -> NoReturn:
    raise PermissionError(f"{path} is only read, never written")


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
