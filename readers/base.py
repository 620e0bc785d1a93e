"""The small interface every reader stands behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from audit.predicate import Predicate
from store.s3 import Store


@dataclass(frozen=True)
class Answer:
    """What a reader returned: rows matched, and the data files it planned, where the engine can say (full URIs)."""

    rows: int
    planned: frozenset[str] | None


@dataclass(frozen=True)
class Observation:
    """One predicate put to one reader over one table, with what the store's own request log saw meanwhile.

    `opened` holds the keys of data files the reader fetched bytes of (GET); None where the store keeps no request log.
    `error` is set, and `rows` None, where the reader refused or failed: its own words, first line. `opened` is then
    only what it had asked for so far, and what it still had under way (Daft) may show in its next window.
    """

    reader: str
    version: str
    rows: int | None
    planned: frozenset[str] | None
    opened: frozenset[str] | None
    seconds: float
    error: str | None = None


class Reader(Protocol):
    """An engine that can open an Iceberg table from the location of its metadata.json alone."""

    @property
    def name(self) -> str:
        """The id users type, `-k duckdb`."""
        ...

    @property
    def can_plan(self) -> bool:
        """Whether the engine can name the files it would read without reading them."""
        ...

    @property
    def version(self) -> str: ...

    def ask(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        """Count the matching rows, reading at least one column of each, so that a file kept is a file opened.

        Raises whatever the engine raises; `readers.watch` turns that into `Observation.error`.
        """
        ...


class ReaderFactory(Protocol):
    def __call__(self, store: Store) -> Reader: ...
