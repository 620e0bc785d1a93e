"""The FileIO by which PyIceberg's catalogs read a metadata.json."""

from __future__ import annotations

from urllib.parse import urlsplit

from pyarrow.fs import FileSystem
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.typedef import EMPTY_DICT, Properties

from xtable_audit.access.access import S3_SCHEMES, Access
from xtable_audit.locate.stores import AZURE, tells_of_s3


class ArrowFiles(PyArrowFileIO):
    """PyIceberg's (0.12) takes `container@account.dfs.core.windows.net` in `abfss://…` for the container's name, and
    knows less of AWS's default chain than what reads the table's files: neither an endpoint nor a login."""

    def _initialize_fs(self, scheme: str, netloc: str | None = None) -> FileSystem:
        if scheme in S3_SCHEMES and not tells_of_s3(self.properties):
            return Access(guarded=True).objects(f"{scheme}://{netloc}").filesystem
        return super()._initialize_fs(scheme, netloc)

    @staticmethod
    def parse_location(location: str, properties: Properties = EMPTY_DICT) -> tuple[str, str, str]:
        parts = urlsplit(location)
        if parts.scheme in AZURE and parts.username:
            return parts.scheme, parts.netloc, f"{parts.username}{parts.path}"
        return PyArrowFileIO.parse_location(location, properties)
