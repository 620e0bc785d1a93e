"""A bucket on local disk, `<root>/<bucket>/<key>`: the judge and PyIceberg read it under the table's own addresses."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from pyarrow import fs
from pyiceberg.io.pyarrow import PyArrowFileIO

from xtable_audit.model.objects import Objects

BUCKET = "xtable-audit"
ROOT = "mirror.root"
"""The FileIO property that holds the mirror's folder."""


@dataclass(frozen=True)
class Mirror:
    root: Path

    @property
    def objects(self) -> Objects:
        return Objects(fs.SubTreeFileSystem(str(self.root), fs.LocalFileSystem()))

    @property
    def pyiceberg(self) -> dict[str, str]:
        """Properties of a PyIceberg catalog or table over this mirror."""
        return {"py-io-impl": f"{MirrorIO.__module__}.{MirrorIO.__name__}", ROOT: str(self.root)}

    def file(self, uri: str) -> Path:
        return self.root / uri.partition("://")[2]

    def uri(self, key: str) -> str:
        return f"s3://{BUCKET}/{key}"

    def copy(self, uri: str, to: Path) -> Mirror:
        """What Iceberg sees under `uri`, alone, in a mirror of its own."""
        other = Mirror(to)
        shutil.copytree(self.file(uri), other.file(uri), ignore=shutil.ignore_patterns(".hoodie*"))
        return other


class MirrorIO(PyArrowFileIO):
    """PyIceberg's file access, with `s3://` led to the mirror."""

    def _initialize_fs(self, scheme: str, netloc: str | None = None) -> fs.FileSystem:
        return fs.SubTreeFileSystem(self.properties[ROOT], fs.LocalFileSystem())
