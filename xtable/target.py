"""The parts of a table's metadata that show whether a sync succeeded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from pyarrow import fs

from lab.store.tables import Files
from xtable.writer import ICEBERG, Writer
from xtable_audit.formats.delta.log import LogFiles, read_log
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.hudi.timeline import HudiTimeline, extra_metadata
from xtable_audit.model import subject_id
from xtable_audit.model.delta_version import DeltaVersion
from xtable_audit.model.hudi_instant import HudiInstantFile
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem

_METADATA_FILE = re.compile(r"v(\d+)\.metadata\.json")
_NOTE = "XTABLE_METADATA"
"""The table property of XTable's own note."""


@dataclass(frozen=True)
class Target:
    """The newest metadata of a table. `synced` is XTable's own note of the last instant it synced, if any.

    A commit of Delta is both a version and a snapshot. So is a write on Hudi's timeline, by its instant.
    """

    metadata_location: str
    version: int
    snapshot: int | None
    synced: str | None


def read_target(location: str, files: Files | None, writer: Writer = ICEBERG) -> Target | None:
    """What the writer's folder under `location` holds now (s3://, file:// or a path); None without metadata."""
    return _READ[writer.target](location, *_opened(location, files))


def _iceberg(location: str, filesystem: fs.FileSystem, path: str) -> Target | None:
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
        synced=metadata.get("properties", {}).get(_NOTE),
    )


def _delta(location: str, filesystem: fs.FileSystem, path: str) -> Target | None:
    """The newest commit. A log that cannot be read has no snapshot."""
    folder = TableFolder(path.rstrip("/"), Objects(filesystem))
    try:
        newest = LogFiles.of(folder).newest
    except Problem:
        return None
    place = DeltaVersion(location.rstrip("/"), newest).location
    try:
        log = read_log(folder)
    except (Malformed, Problem):
        return Target(place, newest, None, None)
    return Target(place, newest, newest, (log.metadata.configuration or {}).get(_NOTE))


def _hudi(location: str, filesystem: fs.FileSystem, path: str) -> Target | None:
    """The newest completed write of the timeline. XTable's note is in its extra metadata."""
    folder = TableFolder(path.rstrip("/"), Objects(filesystem))
    timeline = HudiTimeline.read(folder)
    if not timeline.writes:
        return None
    newest = timeline.writes[-1]
    place, time = HudiInstantFile(location.rstrip("/"), newest.name).location, int(newest.time)
    try:
        note = extra_metadata(timeline.content(newest)).get(_NOTE)
    except Malformed:
        return Target(place, time, None, None)
    return Target(place, time, time, note)


_READ: Mapping[str, Callable[[str, fs.FileSystem, str], Target | None]] = {
    subject_id.ICEBERG: _iceberg,
    subject_id.DELTA: _delta,
    subject_id.HUDI: _hudi,
}


def _opened(location: str, files: Files | None) -> tuple[fs.FileSystem, str]:
    parts = urlsplit(location)
    if files is not None and parts.scheme:
        return files.filesystem, f"{parts.netloc}{parts.path}".lstrip("/")
    if parts.scheme in ("", "file"):
        return fs.LocalFileSystem(), unquote(parts.path) if parts.scheme else location
    raise ValueError(f"{location} needs a store")
