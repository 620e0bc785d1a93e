"""Sets of a table's live files, a bit for each file: a grid of predicates keeps many of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

Bits = np.ndarray[Any, np.dtype[np.uint8]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]
Packed = bytes | frozenset[str] | None


@dataclass(frozen=True, eq=False)
class LiveFiles:
    """The paths of a table's live files, each once."""

    paths: pa.Array
    places: np.ndarray[Any, np.dtype[np.int32]]
    """For each entry of the stored metrics, the place of its path in `paths`."""

    @classmethod
    def of(cls, entries: pa.ChunkedArray) -> LiveFiles:
        """`entries`: the path of each entry of the stored metrics."""
        coded = entries.combine_chunks().dictionary_encode()
        return cls(coded.dictionary, np.asarray(coded.indices))

    def are(self, others: LiveFiles) -> bool:
        """Whether both have the same files in the same places, so that their bits can be compared."""
        return self is others or self.paths.equals(others.paths)

    @cached_property
    def place_of(self) -> dict[str, int]:
        return {path: place for place, path in enumerate(self.paths.to_pylist())}

    def among(self, entries: Mask) -> FileSet:
        """The files of the marked entries."""
        marked = np.zeros(len(self.paths), dtype=bool)
        marked[self.places[entries]] = True
        return FileSet(self, np.packbits(marked))

    def packed(self, paths: Set[str] | None) -> Packed:
        """The same files in few bytes, or the paths themselves where one is of no live file."""
        if isinstance(paths, FileSet) and paths._files is self:
            return paths._bits.tobytes()
        if paths is None:
            return None
        if not paths <= self.place_of.keys():
            return frozenset(paths)
        marked = np.zeros(len(self.paths), dtype=bool)
        marked[[self.place_of[path] for path in paths]] = True
        return np.packbits(marked).tobytes()

    def unpacked(self, packed: Packed) -> Set[str] | None:
        return FileSet(self, np.frombuffer(packed, np.uint8)) if isinstance(packed, bytes) else packed


class FileSet(Set[str]):
    """Some of the live files, by path. With other sets it combines as they do."""

    def __init__(self, files: LiveFiles, bits: Bits) -> None:
        self._files, self._bits = files, bits

    @classmethod
    def _from_iterable(cls, paths: Iterable[Any]) -> Any:
        return frozenset(paths)

    @property
    def _marked(self) -> Mask:
        return np.unpackbits(self._bits, count=len(self._files.paths)).astype(bool)

    def __contains__(self, path: object) -> bool:
        place = self._files.place_of.get(path) if isinstance(path, str) else None
        return place is not None and bool(self._bits[place // 8] & (128 >> place % 8))

    def __iter__(self) -> Iterator[str]:
        return iter(self._files.paths.filter(pa.array(self._marked)).to_pylist())

    def __len__(self) -> int:
        return int(np.bitwise_count(self._bits).sum())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FileSet) and other._files.are(self._files):
            return bool((self._bits == other._bits).all())
        return super().__eq__(other)

    def __hash__(self) -> int:
        return self._hash()
