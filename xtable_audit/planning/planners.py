"""The interface of a planner, the judge's own planner, known differences between planners, and their answers, kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from xtable_audit.formats.installed import target_formats, target_of
from xtable_audit.formats.target import Trap
from xtable_audit.model.kept_results import digest
from xtable_audit.model.objects import Objects
from xtable_audit.model.planner import JUDGE
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.scalars import Mask
from xtable_audit.planning.judge_planner import JudgePlanner
from xtable_audit.table.stored_metrics import StoredMetrics

Bits = np.ndarray[Any, np.dtype[np.uint8]]
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


Planner = Callable[[str, Sequence[Predicate]], Sequence[Set[str] | None]]
"""`(metadata_location, predicates) -> the paths each predicate keeps`; None if it cannot express a predicate.

Raises `model.refused.Refused` if it cannot plan the table at all.
"""


@cache
def planners() -> Mapping[str, tuple[str, ...]]:
    """Name -> the table formats that it plans; the judge plans all of them."""
    formats = target_formats()
    names = dict.fromkeys(name for one in formats.values() for name in one.planners)
    each = {name: tuple(format for format, one in formats.items() if name in one.planners) for name in names}
    return MappingProxyType({JUDGE: tuple(formats), **each})


def judges(stored: StoredMetrics) -> Planner:
    """The judge's own planner over stored metrics, which are already read."""
    judge, files = JudgePlanner(stored), LiveFiles.of(stored.files["path"])

    def plan(_: str, predicates: Sequence[Predicate]) -> list[Set[str] | None]:
        return [files.among(judge.select(one)) for one in predicates]

    return plan


def trap(planner: str, stored: StoredMetrics, predicate: Predicate, *, losing: bool = False) -> Trap | None:
    """A trap that explains why this planner differs from the judge; with `losing`, why it drops a matching file."""
    known = target_of(stored.metadata_location).planners.get(planner, ())
    return next((one for one in known if one.loses >= losing and one.applies(stored, predicate)), None)


def kept_plans(
    objects: Objects, stored: StoredMetrics, planner: Planner, identity: str, content: str | None = None
) -> Planner:
    """The planner, or what an earlier run had of it. `identity` has its name, and what decides its answers besides the
    metadata and the predicates. `content` is a digest of all that a planner reads of the metadata; without it, the
    bytes decide.
    """
    files = LiveFiles.of(stored.files["path"].sort())  # entries may be in another order

    def plan(metadata_location: str, predicates: Sequence[Predicate]) -> list[Set[str] | None]:
        read = [] if content else [metadata_location, *stored.native.metadata_files]
        packed = objects.kept(
            "planned",
            lambda: digest(identity, content or metadata_location, repr(predicates)),
            read,
            lambda _: [files.packed(one) for one in planner(metadata_location, predicates)],
        )
        return [files.unpacked(one) for one in packed]

    return plan
