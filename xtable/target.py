"""The parts of a table's Iceberg metadata that show whether a sync succeeded."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from pyarrow import fs

from store.tables import Files

_METADATA_FILE = re.compile(r"v(\d+)\.metadata\.json")


@dataclass(frozen=True)
class Target:
    """The newest metadata file of a table. `synced` is XTable's own note of the last instant it synced, if any."""

    metadata_location: str
    version: int
    snapshot: int | None
    synced: str | None


def read_target(location: str, files: Files | None) -> Target | None:
    """What is under `<location>/metadata` now (s3://, file:// or a path); None where there is no metadata file."""
    filesystem, path = _opened(location, files)
    folder = f"{path.rstrip('/')}/metadata"
    found = filesystem.get_file_info(fs.FileSelector(folder, allow_not_found=True))
    numbered = {int(match[1]): info.path for info in found if (match := _METADATA_FILE.fullmatch(info.base_name))}
    if not numbered:
        return None
    version = max(numbered)
    with filesystem.open_input_stream(numbered[version]) as stream:
        metadata: dict[str, Any] = json.loads(stream.read())
    snapshot = metadata.get("current-snapshot-id")
    return Target(
        metadata_location=f"{location.rstrip('/')}/metadata/v{version}.metadata.json",
        version=version,
        snapshot=None if snapshot in (None, -1) else int(snapshot),
        synced=metadata.get("properties", {}).get("XTABLE_METADATA"),
    )


def _opened(location: str, files: Files | None) -> tuple[fs.FileSystem, str]:
    parts = urlsplit(location)
    if parts.scheme in ("", "file"):
        return fs.LocalFileSystem(), unquote(parts.path) if parts.scheme else location
    if files is None:
        raise ValueError(f"{location} needs a store")
    return files.filesystem, f"{parts.netloc}{parts.path}"
