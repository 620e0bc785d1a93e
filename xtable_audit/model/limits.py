"""What a table may cost the judge, in bytes, and why a check may not go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from errno import EDQUOT, EMFILE, ENFILE, ENOMEM, ENOSPC
from typing import TypeVar

MIB = 1 << 20
T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """All follow from `metadata`, so that one option raises them together for a table that is legal and huge."""

    metadata: int = 256 * MIB
    """Bytes of one metadata file: metadata.json, a manifest list, a manifest or a file of deletion vectors, inflated.
    Manifests have 8 MiB by default (Iceberg, commit.manifest.target-size-bytes), deflated."""

    @property
    def footer(self) -> int:
        """Bytes of a Parquet footer; decoded, it takes up to 200 times as many."""
        return self.metadata // 16

    @property
    def row_group(self) -> int:
        """Bytes of the columns that are read of a row group, inflated and still encoded: 4 GiB by default. Writers make
        row groups of 128 MiB by default (Iceberg, write.parquet.row-group-size-bytes), before they deflate them."""
        return self.metadata * 16


LIMITS = Limits()


def in_rounds(items: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """The items in their order, some at a time: of `most` bytes at most, or one that is larger."""
    some: list[T] = []
    held = 0
    for item in items:
        more = size(item)
        if some and held + more > most:
            yield some
            some, held = [], 0
        some.append(item)
        held += more
    if some:
        yield some


OF_MACHINE = (ENOSPC, EDQUOT, ENOMEM, EMFILE, ENFILE)
"""Numbers of errors that say what this machine lacks."""


class OutOfTime(BaseException):
    """The time of a part of the check is over. No error of a library: `except Exception` must not take it for one."""


def interruption(error: BaseException) -> BaseException | None:
    """The interrupt or the end of time behind an error: a library that is interrupted raises one of its own."""
    return next((one for one in _chain(error) if isinstance(one, KeyboardInterrupt | OutOfTime)), None)


def of_machine(error: BaseException) -> BaseException | None:
    """What this machine lacks, if that is behind an error: memory, disk, handles."""
    return next((one for one in _chain(error) if _lacks(one)), None)


def _lacks(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or getattr(error, "errno", None) in OF_MACHINE


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        yield one
        seen.add(id(one))
        one = one.__cause__ or one.__context__
