"""A read-only filesystem."""

from __future__ import annotations

from typing import NoReturn

import pyarrow as pa
from pyarrow import fs


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
