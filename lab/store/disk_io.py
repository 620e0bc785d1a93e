"""PyIceberg's FileIO over a folder that holds `bucket/key`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyarrow import fs
from pyiceberg.io.pyarrow import PyArrowFileIO


class DiskIO(PyArrowFileIO):
    """Addresses of any scheme are files below the property `folder`."""

    def _initialize_fs(self, scheme: str, netloc: str | None = None) -> fs.FileSystem:
        return fs.SubTreeFileSystem(self.properties["folder"], fs.LocalFileSystem())

    def new_output(self, location: str) -> Any:
        output = super().new_output(location)
        (Path(self.properties["folder"]) / output._path).parent.mkdir(parents=True, exist_ok=True)
        return output
