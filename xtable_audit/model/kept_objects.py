"""Objects, and what earlier runs made of the same ones: it holds while every object that was looked at is the same."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

import pyarrow as pa
from pyarrow import fs

from xtable_audit.model.code import digest
from xtable_audit.model.keep import Keep
from xtable_audit.model.objects import Objects, Remembered

T = TypeVar("T")
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
        given: str,
        uris: Iterable[str],
        work: Callable[[Objects], T],
        is_sure: Callable[[T], bool] = lambda _: True,
    ) -> T:
        try:
            key = digest(self.code, repr(self.limits), what, given, *(f"{uri} {self._state(uri)}" for uri in uris))
            entry = self.keep.get(key)
            if entry is not None:
                seen, result = entry
                if all(self._state(uri) == content for uri, content in seen.items()):
                    self.taken[what] += 1
                    return result  # type: ignore[no-any-return]
        except _Unsure:
            return work(self)
        watched = _Watched(self.filesystem, self.limits, of=self)
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
class _Watched(Objects):
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
