"""What of two is the same: of class paths their classes, of what syncs wrote all but ids, times and names."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import fastavro

OWN = "xtable-"
"""How the names of XTable's own jars begin."""


def digest_of_classes(jars: Iterable[Path]) -> str:
    """A digest of a class path: names and bytes of XTable's class files, and the names of all other jars.

    Times, manifests and the order of a jar's entries differ from build to build. Other jars are releases, whose names
    have their versions.
    """
    jars = sorted(jars, key=lambda jar: jar.name)
    digest = hashlib.sha256()
    for jar in jars:
        if not jar.name.startswith(OWN):
            digest.update(f"{jar.name}\n".encode())
    for name, content in sorted(part for jar in jars if jar.name.startswith(OWN) for part in _classes(jar)):
        digest.update(f"{name} {content}\n".encode())
    return digest.hexdigest()


def _classes(jar: Path) -> list[tuple[str, str]]:
    """Name and SHA-256 of each class file."""
    with zipfile.ZipFile(jar) as opened:
        names = [name for name in opened.namelist() if name.endswith(".class")]
        return [(name, hashlib.sha256(opened.read(name)).hexdigest()) for name in names]


TIMES = frozenset({"last-updated-ms", "timestamp-ms", "lastInstantSynced", "instantsToConsiderForNextSync"})
LENGTHS = frozenset({"manifest_length"})
"""Of files that hold ids."""
IDS = frozenset({"current-snapshot-id", "snapshot-id", "parent-snapshot-id", "snapshot_id", "added_snapshot_id"})
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
MADE_UP = frozenset({"table-uuid"})
"""Keys of texts that a sync makes up. Names of data files hold ids too, which are the source's."""
VERSION = re.compile(r"v(\d+)\.metadata\.json")
DELTA = "DELTA"


def but_for_ids_and_times(metadata: Path, table_format: str) -> list[Any]:
    """Every metadata.json in the folder, the oldest first, with its manifest lists and manifests in place.

    Ids are numbered in the order in which they come. The times of commits are the source's own, but for Delta's, which
    are those of the files of its log.
    """
    reading = _Reading(metadata, frozenset(TIMES) if table_format == DELTA else TIMES - {"lastInstantSynced"})
    numbered = {int(match[1]): path for path in metadata.iterdir() if (match := VERSION.fullmatch(path.name))}
    return [reading.alike(json.loads(numbered[number].read_text(encoding="utf-8"))) for number in sorted(numbered)]


class _Reading:
    def __init__(self, folder: Path, times: frozenset[str]) -> None:
        self._folder = folder
        self._times = times
        self._ids: dict[object, str] = {}

    def alike(self, value: Any, key: str = "") -> Any:
        if key in self._times or key in LENGTHS:
            return key
        match value:
            case dict():
                return {name: self.alike(value[name], str(name)) for name in sorted(value, key=str)}
            case list() | tuple():
                return [self.alike(one) for one in value]
            case int() if key in IDS and value != -1:
                return self._number(value)
            case str() if key in ("manifest-list", "manifest_path"):
                return [self.alike(record) for record in sorted(self._records(value), key=_path)]
            case str() if value.startswith("{"):
                return self.alike(json.loads(value))
            case str() if key in MADE_UP:
                return UUID.sub(lambda found: self._number(found[0]), value)
            case bytes():
                return value.hex()
        return str(value) if isinstance(value, float) else value

    def _records(self, address: str) -> Iterator[Any]:
        with (self._folder / address.rpartition("/")[2]).open("rb") as file:
            yield from fastavro.reader(file)

    def _number(self, id: object) -> str:
        return self._ids.setdefault(id, f"id {len(self._ids) + 1}")


def _path(record: Any) -> str:
    """The order of files in a manifest says nothing."""
    return str(record.get("data_file", {}).get("file_path", ""))
