"""The FileIO by which PyIceberg's catalogs read a metadata.json."""

from __future__ import annotations

from urllib.parse import urlsplit

from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.typedef import EMPTY_DICT, Properties

from xtable_audit.locate.stores import AZURE


class ArrowFiles(PyArrowFileIO):
    """PyIceberg's takes `container@account.dfs.core.windows.net` in `abfss://…` for the container's name (0.12)."""

    @staticmethod
    def parse_location(location: str, properties: Properties = EMPTY_DICT) -> tuple[str, str, str]:
        parts = urlsplit(location)
        if parts.scheme in AZURE and parts.username:
            return parts.scheme, parts.netloc, f"{parts.username}{parts.path}"
        return PyArrowFileIO.parse_location(location, properties)
