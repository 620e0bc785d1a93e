"""One sync: one run of a translator over a table, and the exceptions that its message names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, get_args

_MISSED = re.compile(r"java\.lang\.NoClassDefFoundError: ([\w$]+(?:/[\w$]+)+)")
_EXCEPTION = re.compile(r"(?<![\w.$])(?:[a-z_]\w*\.)+[A-Z][\w$]*(?:Exception|Error)(?![\w$])")


@dataclass(frozen=True)
class Thrown:
    """One exception of a JVM."""

    exception: str
    """The full name of its class; "" if its words do not begin with one."""
    words: str
    """Its `toString`."""

    @classmethod
    def of(cls, words: str) -> Thrown:
        found = _EXCEPTION.match(words)
        return cls(found[0] if found else "", words)


def exceptions_in(message: str) -> frozenset[str]:
    """The full names of the exceptions that a message names."""
    return frozenset(_EXCEPTION.findall(message))


def class_missed_in(message: str) -> str:
    """The class, with slashes, that a NoClassDefFoundError in a message misses; "" for none, and for one that is there
    and could not be initialised.
    """
    found = _MISSED.search(message)
    return found[1] if found else ""


Kind = Literal["first", "incremental", "idle", "full"]
"""`idle` is an incremental sync without new commits; `full` is a last sync with SyncMode.FULL."""


Act = Literal["added", "changed", "deleted"]
ACTS: tuple[Act, ...] = get_args(Act)


@dataclass(frozen=True)
class Touch:
    """What a sync does to one object of its source, as `deleted part=a/1.parquet`."""

    act: Act
    path: str

    @classmethod
    def parse(cls, text: str) -> Touch:
        """Reverses `str`. Raises ValueError for any other text."""
        act, _, path = text.partition(" ")
        known = next((one for one in ACTS if one == act), None)
        if known is None or not path:
            raise ValueError(f"{text!r} is nothing that a sync does to an object")
        return cls(known, path)

    def __str__(self) -> str:
        return f"{self.act} {self.path}"


@dataclass(frozen=True)
class Sync:
    """The result of a sync, judged by the metadata in the table and not by an exit code."""

    kind: Kind
    release: str
    metadata_location: str
    """The newest metadata.json with a snapshot after the sync; "" if there is none."""
    failure: str | None = None
    """The translator's error message, if it reports a failure."""
    log: str = ""
    """The translator's log of the sync."""
    seconds: float = 0.0
    """Wall time in seconds; 0 if the sync failed."""
    result: str = ""
    """The result that the translator returns; "" if its interface returns none."""
    stage: int = 0
    """Index of the source's state that was translated."""
    touched: tuple[Touch, ...] | None = None
    """What it did to objects of the source; None if nobody looked."""
    silent: bool = False
    """Whether it fails and does not report the failure itself."""
    exceptions: frozenset[str] = field(init=False)
    """Full names of the Java exceptions that the failure names."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "exceptions", exceptions_in(self.failure or ""))
