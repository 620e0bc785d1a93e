"""A cache whose entries are complete or absent, even if their builder is killed.

An entry is a folder `<root>/<kind>/<key>/` that holds `complete.json`. It is built under a temporary name beside it and
renamed into place, so that a `kill -9` leaves the old state or the new one. One file lock per key lets one builder
work while the others wait for its result. The kernel frees the lock of a dead builder, and the next builder removes
what it left.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from lab.stack.versions import SUITE_VERSION
from xtable_audit.model.problem import Problem

SEAL = "complete.json"
_BUILDING = ".building-"
FILE_BY_FILE = 32
"""So many files at most are synced one by one."""


def cache_root(environ: Mapping[str, str] = os.environ) -> Path:
    """`$XTABLE_AUDIT_CACHE`, else `$XDG_CACHE_HOME/xtable-audit`, else `~/.cache/xtable-audit`."""
    if own := environ.get("XTABLE_AUDIT_CACHE"):
        return Path(own).expanduser()
    base = environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "xtable-audit"


def key_of(**facts: Any) -> str:
    """16 hex digits that change when any of the facts (JSON values) changes."""
    canonical = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def write_atomically(path: Path, content: bytes) -> None:
    """Writes the complete file, or leaves the old one. It is for the readers of any new file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


class Cache:
    """Built folders by kind (`jdk`, `dataset`, …) and key. Safe for threads, processes and runs on one machine."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or cache_root()
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Problem(
                f"The cache folder {self.root} cannot be created ({error.strerror}). Set XTABLE_AUDIT_CACHE to another."
            ) from error

    def path(self, kind: str, key: str) -> Path:
        return self.root / kind / key

    def lookup(self, kind: str, key: str) -> Path | None:
        """The entry's folder if it is published, else None."""
        entry = self.path(kind, key)
        return entry if (entry / SEAL).is_file() else None

    def facts(self, kind: str, key: str) -> dict[str, Any]:
        """The facts that the entry's builder kept with it."""
        seal: dict[str, Any] = json.loads((self.path(kind, key) / SEAL).read_text(encoding="utf-8"))
        return seal

    def publish(
        self, kind: str, key: str, build: Callable[[Path], None], facts: Mapping[str, str] | None = None
    ) -> Path:
        """The entry's folder; built by `build(folder)` if it does not exist. Errors of `build` propagate.

        `facts` are kept as its provenance. A second caller waits, then takes the first one's result.
        """
        if ready := self.lookup(kind, key):
            return ready
        with self.lock(kind, key):
            if ready := self.lookup(kind, key):
                return ready
            self.sweep(kind)
            return self._build(self.path(kind, key), build, dict(facts or {}))

    def _build(self, entry: Path, build: Callable[[Path], None], facts: dict[str, str]) -> Path:
        building = Path(tempfile.mkdtemp(dir=entry.parent, prefix=f"{entry.name}{_BUILDING}"))
        try:
            started = time.monotonic()
            build(building)
            seal = {
                "suite": SUITE_VERSION,
                "built_at": datetime.now(UTC).isoformat(timespec="seconds"),
                "seconds": round(time.monotonic() - started, 3),
                "facts": facts,
            }
            write_atomically(building / SEAL, json.dumps(seal, indent=1, sort_keys=True).encode())
            _sync_tree(building)
            if entry.exists():  # without a seal: not made by this class
                shutil.rmtree(entry)
            building.rename(entry)
            _sync_folder(entry.parent)
        finally:
            if building.exists():
                shutil.rmtree(building)
        return entry

    @contextmanager
    def work_folder(self, kind: str) -> Iterator[Path]:
        """An empty folder on the cache's disk in which to build entries of that kind; removed with the context.

        The next builder removes folders that a killed one left.
        """
        key = uuid.uuid4().hex
        with self.lock(kind, key):
            self.sweep(kind)
            try:
                with tempfile.TemporaryDirectory(dir=self.root / kind, prefix=f"{key}{_BUILDING}") as folder:
                    yield Path(folder)
            finally:
                self._lock_file(kind, key).unlink()

    @contextmanager
    def lock(self, kind: str, key: str) -> Iterator[None]:
        """A lock for one thread of one process on this machine; the kernel frees it when its holder dies."""
        with self._lock(kind, key):
            yield

    def _lock(self, kind: str, key: str, timeout: float = -1) -> FileLock:
        file = self._lock_file(kind, key)
        file.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(file, timeout=timeout, fallback_to_soft=False)

    def _lock_file(self, kind: str, key: str) -> Path:
        return self.root / kind / f".{key}.lock"

    def sweep(self, kind: str) -> None:
        """Removes what killed builders of that kind left behind. Work in progress stays."""
        for leftover in (self.root / kind).glob(f"*{_BUILDING}*"):
            key = leftover.name.split(_BUILDING, 1)[0]
            try:
                with self._lock(kind, key, timeout=0):
                    shutil.rmtree(leftover)
            except (Timeout, FileNotFoundError):
                continue  # its builder is alive, or another one removed it first


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_tree(root: Path) -> None:
    """Syncs a built tree to disk before its name marks it as complete.

    Linux waits for a sync of everything. That takes as long as some dozens of files one by one do; recordings have
    thousands.
    """
    tree = [*os.walk(root)]
    if sys.platform == "linux" and sum(len(files) for *_, files in tree) > FILE_BY_FILE:
        os.sync()
        return
    for folder, _, files in tree:
        for name in files:
            _sync_file(Path(folder) / name)
        _sync_folder(Path(folder))


def _sync_file(path: Path) -> None:
    if path.is_symlink() or not path.is_file():
        return
    with path.open("rb") as file:
        os.fsync(file.fileno())
