"""Recordings of many small tables, packed. The same tree gives the same archive; each is unpacked once a machine."""

from __future__ import annotations

import hashlib
import lzma
import tarfile
from pathlib import Path

from lab.stack.cache import Cache, key_of
from xtable_audit.model.problem import Problem

SUFFIX = ".tar.xz"


def pack(folder: Path, archive: Path) -> None:
    """Writes every file below `folder`, without owners and times, in the order of their names."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    unfinished = archive.with_name(f".{archive.name}.new")
    with tarfile.open(unfinished, "w:xz", format=tarfile.PAX_FORMAT) as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            info = tarfile.TarInfo(path.relative_to(folder).as_posix())
            info.size = path.stat().st_size
            with path.open("rb") as content:
                packed.addfile(info, content)
    unfinished.replace(archive)


def unpacked(archives: Path, cache: Cache, *names: str) -> Path:
    """A folder with each `<name>.tar.xz` of `archives`, or those of these names alone, unpacked under `<name>/`.

    Raises Problem for a broken one.
    """
    found = [path for path in sorted(archives.glob(f"*{SUFFIX}")) if not names or path.name[: -len(SUFFIX)] in names]
    if not found:
        raise Problem(f"Nothing is recorded under {archives}. Restore it with git, or `make record`.")
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found}

    def unpack_all(folder: Path) -> None:
        for path in found:
            unpack(path, folder / path.name.removesuffix(SUFFIX))

    return cache.publish("recording", key_of(archives=digests), unpack_all)


def unpack(archive: Path, folder: Path) -> None:
    """Unpacks the archive below `folder`. Raises Problem for a broken one."""
    try:
        with lzma.open(archive) as content, tarfile.open(fileobj=content) as packed:
            packed.extractall(folder, filter="data")
            content.read()  # to its end, where a truncated archive fails
    except (tarfile.TarError, lzma.LZMAError, EOFError, OSError) as error:
        raise Problem(f"{archive} cannot be unpacked ({error}). Restore recordings/ with git.") from error
