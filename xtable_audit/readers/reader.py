"""The interface that every reader implements, and how a query makes it open every file that it plans."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from xtable_audit.access.s3 import S3
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.predicate import Predicate, columns_of


class Refusal(Exception):
    """The one-line message of a reader that refused or failed."""


@dataclass(frozen=True)
class Layers:
    """How many base files each layer of Hudi's data skipping leaves, and which partitions the first one leaves."""

    live: int
    after_partition_statistics: int
    after_column_statistics: int
    partitions: tuple[str, ...] | None
    """Paths of the partitions that the partition statistics leave; None if Hudi did not use them."""


@dataclass(frozen=True)
class Answer:
    """What a reader returns, and what it reports of its own plan. None for what the engine does not report."""

    rows: int
    """Matching rows."""
    planned: frozenset[str] | None = None
    """Planned files: full URIs, spelled as in the metadata."""
    live: int | None = None
    """Number of live files, before any predicate."""
    planned_count: int | None = None
    """Number of planned files. None if `planned` names them."""
    scanned: int | None = None
    """Rows read from the files before filtering."""
    layers: Layers | None = None
    """Only from Hudi's own reader."""
    unknown_plan: str | None = None
    """Why the engine's plan is unknown although it should report it, in one sentence. Inconclusive, never a finding."""

    @property
    def plans(self) -> int | None:
        """Number of planned files."""
        return self.planned_count if self.planned is None else len(self.planned)


@dataclass(frozen=True)
class Observation:
    """One reader's answer to one predicate on one table, with the store's request log of that time.

    `read` has the keys of the data files whose bytes the reader fetched (GET); None if the store keeps no request log.
    If the reader refuses or fails, `answer` is None and `error` is the first line of its message. `read` then has only
    the requests made so far; those still in flight (Daft) may appear in the reader's next window.
    """

    reader: str
    version: str
    answer: Answer | None
    read: frozenset[str] | None
    seconds: float
    error: str | None = None

    @property
    def rows(self) -> int | None:
        return self.answer.rows if self.answer else None


class Reader(Protocol):
    """An engine that opens a table by the location of its metadata alone: an Iceberg table's metadata.json, the commit
    of a Delta table's version.
    """

    @property
    def name(self) -> str:
        """The id users type: `-k duckdb`."""
        ...

    @property
    def version(self) -> str: ...

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        """Counts the matching rows. Reads at least one column of each, so that the reader opens every file it plans.

        Raises whatever the engine raises; `readers.observe` turns that into `Observation.error`. Raises Problem if
        the engine itself is gone or unusable, which says nothing about the table.
        """
        ...


class NotOffered(Exception):
    """The reader's library has no such question: a user reads the values and computes by themselves."""


class AggregatingReader(Protocol):
    """A reader that answers aggregates."""

    @property
    def version(self) -> str: ...

    def aggregate(self, metadata_location: str, asked: Sequence[Aggregate], shortcut: bool = True) -> Sequence[Any]:
        """The values that the engine answers in one query by its default settings, from metadata where it can.

        All are over the same rows. Without `shortcut` it is kept from metadata. Raises NotOffered for what its library
        does not ask, or where nothing turns the shortcut off; else as `Reader.query`.
        """
        ...


class ReaderFactory(Protocol):
    def __call__(self, store: S3, handle: Any = None) -> Reader:
        """`handle` is what a reader needs of its engine; None for readers that need none."""
        ...


_NESTED = re.compile(r"^(struct|list|map|array|tuple|row)\b|[\[<]", re.IGNORECASE)
_PREFERRED = ("float|double", "int|long", "decimal|numeric", "date|time", "string|char")


def column_to_read(types: Mapping[str, str], predicate: Predicate | None) -> str:
    """The column to read, so that a reader opens the files it plans.

    `types` is name -> the engine's or Iceberg's name of the type. Numbers are cheap to read. A float is never a
    partition column, whose value a reader may take from the metadata. A column of the predicate is the last choice for
    the same reason.
    """
    filtered = {name.lower() for name in columns_of(predicate)}  # an engine may lower-case column names

    def cost(name: str) -> tuple[bool, bool, int]:
        kind = types[name]
        ranks = (rank for rank, pattern in enumerate(_PREFERRED) if re.search(pattern, kind, re.IGNORECASE))
        return bool(_NESTED.search(kind)), name.lower() in filtered, next(ranks, len(_PREFERRED))

    return min(types, key=cost)
