"""What earlier runs made, kept for later ones: it holds for the same code and the same objects."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pyarrow as pa
from pyarrow import fs

from xtable_audit.model.objects import Objects, Remembered
from xtable_audit.model.time_limits import T


def digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]


@cache
def code_of(*packages: str) -> str:
    """A digest of the source of these packages, or modules."""
    sources = sorted((file for package in packages for file in _sources_of(package)), key=lambda one: one.name)
    return digest(*(one.read_text(encoding="utf-8") for one in sources))


def _sources_of(package: str) -> Iterable[Traversable]:
    parent, _, name = package.rpartition(".")
    module = resources.files(parent or package).joinpath(f"{name}.py")
    return (module,) if module.is_file() else filter(_is_source, resources.files(package).iterdir())


def _is_source(file: Traversable) -> bool:
    return file.name.endswith(".py")


@cache
def installed() -> str:
    """A digest of the names and versions of all that is installed beside this code, and of Python's version."""
    folders = {path for path in sys.path if os.path.isdir(path)}
    return digest(sys.version, *sorted(name for path in folders for name in os.listdir(path) if _is_a_package(name)))


def _is_a_package(name: str) -> bool:
    return name.endswith((".dist-info", ".egg-info"))


PART = ".part"
"""What a file ends in while it is written."""
DAY = 24 * 3600.0
UNUSED = 30 * DAY
"""Seconds after which an entry that no run takes is removed."""
SWEPT = "swept"
"""A file that is as old as the last sweep: it looks at every entry, of which there may be tens of thousands."""
SEAL = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Keep:
    folder: Path
    anew: bool = False
    """Takes nothing of earlier runs."""

    def get(self, key: str) -> Any | None:
        """The entry of this key; None if there is none, or if its bytes are not those that were written."""
        if self.anew:
            return None
        path = self._path(key)
        try:
            content = path.read_bytes()
            path.touch()
        except OSError:
            return None
        seal, pickled = content[:SEAL], content[SEAL:]
        return pickle.loads(pickled) if hashlib.sha256(pickled).digest() == seal else None

    def put(self, key: str, entry: Any) -> None:
        """Keeps the entry; on a full or read-only disk, keeps nothing."""
        pickled = pickle.dumps(entry, pickle.HIGHEST_PROTOCOL)
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=path.parent, suffix=PART, delete=False) as part:
                part.write(hashlib.sha256(pickled).digest() + pickled)
            Path(part.name).replace(path)

    def sweep(self) -> None:
        """Removes, once a day, what no run took for long and what was left by runs killed while they wrote."""
        swept = self.folder / SWEPT
        with suppress(OSError):
            if time.time() - swept.stat().st_mtime < DAY:
                return
        with suppress(OSError):  # nothing was kept yet, or nothing can be
            swept.touch()
        for file in self.folder.glob("*/*"):
            with suppress(OSError):  # another run removed it first
                if time.time() - file.stat().st_mtime > UNUSED:
                    file.unlink()

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key


ABSENT = ""
"""Stands for the content of an object that does not exist."""
LARGEST = 256 << 20
"""Bytes of an object whose content is looked at; nothing is kept of larger ones."""
AT_ONCE = 1 << 20


class _Unsure(Exception):
    """An object's content is not known."""


@dataclass(frozen=True)
class KeptObjects(Remembered):
    keep: Keep = field(kw_only=True)
    code: str = field(kw_only=True)
    """A digest of all code that makes results of objects."""
    taken: Counter[str] = field(default_factory=Counter, repr=False, compare=False)
    """How many results were taken from earlier runs, by what they are."""
    _states: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    def kept(
        self,
        what: str,
        given: Callable[[], str],
        uris: Iterable[str],
        work: Callable[[Objects], T],
        is_sure: Callable[[T], bool] = lambda _: True,
    ) -> T:
        try:
            key = digest(self.code, repr(self.limits), what, given(), *(f"{uri} {self._state(uri)}" for uri in uris))
            entry = self.keep.get(key)
            if entry is not None:
                seen, result = entry
                if all(self._state(uri) == content for uri, content in seen.items()):
                    self.taken[what] += 1
                    return result  # type: ignore[no-any-return]
        except _Unsure:
            return work(self)
        watched = _WatchedObjects(self.filesystem, self.limits, of=self)
        result = work(watched)
        if is_sure(result):
            with suppress(_Unsure):
                self.keep.put(key, ({uri: self._state(uri) for uri in watched.seen}, result))
        return result

    def _state(self, uri: str) -> str:
        """A digest of the object's bytes. Raises _Unsure."""
        if uri not in self._states:
            self._states[uri] = self._digest(uri)
        return self._states[uri]

    def _digest(self, uri: str) -> str:
        try:
            with self.open(uri) as source:
                if source.size() > LARGEST:
                    raise _Unsure
                found = hashlib.sha256()
                while part := source.read(AT_ONCE):
                    found.update(part)
                return found.hexdigest()
        except FileNotFoundError:
            return ABSENT
        except (OSError, pa.ArrowException) as error:
            raise _Unsure from error


@dataclass(frozen=True)
class _WatchedObjects(Objects):
    """The same objects; tells which were looked at."""

    of: Remembered = field(kw_only=True)
    seen: dict[str, None] = field(default_factory=dict)

    def open(self, uri: str) -> pa.NativeFile:
        self.seen[uri] = None
        return self.of.open(uri)

    def size(self, uri: str) -> int | None:
        self.seen[uri] = None
        return self.of.size(uri)

    def infos(self, uris: Sequence[str]) -> list[fs.FileInfo | None]:
        raise NotImplementedError("what is kept does not depend on the time of an object")
