"""A Hudi or Delta table as the register's conditions see it: its columns, and an answer to every fact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from xtable_audit.model.source_fact import ColumnFact, Place, TableFact


class Answer(IntEnum):
    """Whether a fact holds. Of several facts that must hold the smallest counts, of several ways the largest."""

    NO = 0
    OPEN = 1
    """What was read does not decide it."""
    YES = 2


@dataclass(frozen=True)
class Column:
    """A leaf column outside lists and maps."""

    path: str
    """Names joined by dots."""
    type: str
    """One of LEAF_TYPES."""
    places: frozenset[Place]
    facts: Mapping[ColumnFact, Answer] = field(default_factory=dict)
    """Facts that are not here do not hold."""
    indexed: Answer = Answer.NO
    """Whether Hudi's column stats index has it."""


@dataclass(frozen=True)
class Shown:
    """The answer to a fact about the table, and what shows it, in a few words."""

    answer: Answer
    by: str = ""
    unread: bool = False
    """Whether it is open because not every live file's footer was read, and for nothing else."""


@dataclass(frozen=True)
class Source:
    """A source table. `facts` that are not there do not hold."""

    format: str
    location: str
    version: str
    """Hudi's table version, or Delta's protocol, for people."""
    columns: tuple[Column, ...]
    settings: Mapping[str, str]
    instants: Mapping[str, int]
    """Kind of completed instant to their number; empty for Delta."""
    facts: Mapping[TableFact, Shown]
    files: int
    """Live data files."""
    footers: int
    """Live data files whose footer was read."""
    refused: str = ""
    """Why no released XTable reads the table at all, in a sentence; else empty."""
