"""The small interface every reader stands behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from store.s3 import S3
from xtable_audit.model.predicate import Predicate


@dataclass(frozen=True)
class Layers:
    """How many base files are left after each layer of Hudi's skipping, and which partitions after the first."""

    live: int
    after_partition_statistics: int
    after_column_statistics: int
    partitions: tuple[str, ...] | None
    """Paths of the partitions that the partition statistics leave; None where they were not asked."""


@dataclass(frozen=True)
class Answer:
    """What a reader returned, and what it tells of its own plan. None wherever the engine does not say."""

    rows: int
    """Rows that match."""
    planned: frozenset[str] | None = None
    """Data files it planned to read, by name: full URIs as the metadata spells them."""
    live: int | None = None
    """Live data files it knows of, without a predicate."""
    planned_count: int | None = None
    """Data files it planned to read. Left out where `planned` names them."""
    scanned: int | None = None
    """Rows it read from the files before it filtered them."""
    layers: Layers | None = None
    """Hudi's own reader alone."""
    untold: str | None = None
    """Why a plan that should have been told could not be read, in one sentence: inconclusive, no finding."""

    @property
    def plans(self) -> int | None:
        """How many files it planned to read."""
        return self.planned_count if self.planned is None else len(self.planned)


@dataclass(frozen=True)
class Observation:
    """One predicate put to one reader over one table, with what the store's own request log saw meanwhile.

    `read` holds the keys of data files the reader fetched bytes of (GET); None where the store keeps no request log.
    `error` is set, and `answer` None, where the reader refused or failed: its own words, first line. `read` is then
    only what it had asked for so far, and what it still had under way (Daft) may show in its next window.
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
    """An engine that can open an Iceberg table from the location of its metadata.json alone."""

    @property
    def name(self) -> str:
        """The id users type, `-k duckdb`."""
        ...

    @property
    def version(self) -> str: ...

    def ask(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        """Count the matching rows, reading at least one column of each, so that a file kept is a file read.

        Raises whatever the engine raises; `readers.watch` turns that into `Observation.error`. Raises
        `stack.problem.Problem` where the engine itself is gone or cannot be used: then nothing was learnt of the table.
        """
        ...


class ReaderFactory(Protocol):
    def __call__(self, store: S3, handle: Any = None) -> Reader:
        """`handle` is what `engines` left for this reader; None for those that need no engine."""
        ...
