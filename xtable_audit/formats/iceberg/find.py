"""The newest metadata.json below a table's root (Iceberg spec, File System Tables)."""

from __future__ import annotations

import re

import pyarrow as pa
from pyarrow import fs

from xtable_audit.model.malformed import first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem, Unreachable

IN_CATALOG = re.compile(r"^[^./\\\s]+(\.[^./\\\s]+){2,}$")
"""`catalog.namespace.table`; a namespace may have several levels."""
HINT = "version-hint.text"
METADATA_FILE = re.compile(r"^(?:v(?P<plain>\d+)|(?P<padded>\d+)-[^/]+)(?:\.gz)?\.metadata\.json(?:\.gz)?$")
"""`v3.metadata.json`, or `00003-<uuid>.metadata.json`; either may be compressed."""


def metadata_below(objects: Objects, root: str) -> tuple[str, tuple[str, ...]]:
    """The address of the metadata.json in `root`/metadata, and notes on how it was chosen. Raises Problem."""
    folder = root.rstrip("/")
    folder = folder if folder.endswith("/metadata") else f"{folder}/metadata"
    there = _metadata_files(objects, folder)
    if not there and root.endswith("/"):  # of a location with that slash, whose files are at `…//metadata/…`
        slashed = f"{root}/metadata"
        there = _metadata_files(objects, slashed)
        folder = slashed if there else folder
    if not there:
        raise Problem(
            f"{root} is no Iceberg table: {folder} holds no metadata.json; name a table's folder or metadata.json"
        )
    newest = max(there, key=lambda name: (there[name], name))
    hint = _hint(objects, f"{folder}/{HINT}")
    if hint is None:
        note = (
            f"{newest} is taken, the newest of {len(there)}: there is no {HINT}, and a catalog may know another; "
            "name the metadata.json, or the table by its catalog"
        )
        return f"{folder}/{newest}", ((note,) if len(there) > 1 else ())
    hinted = [name for name, version in there.items() if name == hint or str(version) == hint.removeprefix("v")]
    if not hinted:
        note = f"{HINT} names version {hint[:40]!r}, which is not there; {newest} is taken, the newest"
        return f"{folder}/{newest}", (note,)
    [chosen, *_] = sorted(hinted)
    newer = (f"{HINT} names {chosen}, and {newest} is newer",) if there[newest] > there[chosen] else ()
    return f"{folder}/{chosen}", newer


def newest_in(objects: Objects, folder: str) -> list[str]:
    """The names of the metadata.json files in the folder, the highest version first. Raises Unreachable."""
    there = _metadata_files(objects, folder)
    return sorted(there, key=lambda name: (there[name], name), reverse=True)


def _metadata_files(objects: Objects, folder: str) -> dict[str, int]:
    """File name -> version of every metadata.json in the folder."""
    try:
        infos = objects.filesystem.get_file_info(fs.FileSelector(objects.path(folder), allow_not_found=True))
    except (OSError, pa.ArrowException) as error:
        raise Unreachable(f"{folder} cannot be listed: {first_line(error)}") from error
    found = {info.base_name: METADATA_FILE.match(info.base_name) for info in infos if info.type == fs.FileType.File}
    return {name: int(match["plain"] or match["padded"]) for name, match in found.items() if match}


def _hint(objects: Objects, address: str) -> str | None:
    """The version that the hint names; None without one."""
    try:
        with objects.open(address) as stream:
            text: bytes = stream.read(1024)
    except FileNotFoundError:
        return None
    except (OSError, pa.ArrowException) as error:
        raise Unreachable(f"{address} cannot be read: {first_line(error)}") from error
    return text.decode("utf-8", "replace").strip()
