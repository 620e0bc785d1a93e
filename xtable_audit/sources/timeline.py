"""Hudi's timeline: its completed and pending instants in both layouts, and the metadata of its commits.

Layout 1 (table version 6 and below) has `.hoodie/<time>.<action>`; layout 2 (8 and later) has
`.hoodie/timeline/<requested>_<completed>.<action>`. Archived instants are not read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from xtable_audit.metadata.avro import MAGIC, parse_avro
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.problem import Problem
from xtable_audit.sources.storage import THREADS, Folder

INSTANT = re.compile(r"(?P<time>\d{14,20})(_(?P<completed>\d{14,20}))?\.(?P<rest>[a-z.]+)")
PENDING = ("requested", "inflight")
WRITES = ("commit", "deltacommit", "replacecommit", "clustering")
READ = 300
"""So many of the newest commits are read."""


@dataclass(frozen=True)
class Instant:
    time: str
    action: str
    name: str
    """The file, relative to the table."""


@dataclass(frozen=True)
class Write:
    """What one commit wrote to one file."""

    path: str
    """Relative to the table."""
    records: int
    """Rows of a base file; updates and inserts of a log file."""
    deletes: int


@dataclass(frozen=True)
class Commit:
    """What the metadata of one commit says."""

    instant: Instant
    operation: str
    schema: str
    """Avro, as JSON; empty if there is none."""
    writes: Mapping[str, tuple[Write, ...]]
    """By partition."""
    replaced: Mapping[str, tuple[str, ...]]
    """Partition -> ids of the file groups that it replaced."""

    @property
    def written(self) -> Mapping[str, tuple[str, ...]]:
        """Partition -> paths of the files that it wrote, relative to the table."""
        return {part: tuple(one.path for one in writes) for part, writes in self.writes.items()}


@dataclass(frozen=True)
class Timeline:
    folder: Folder
    completed: tuple[Instant, ...]
    """In the order of their times."""
    pending: frozenset[str]
    """Times of instants without a completed file."""

    @classmethod
    def read(cls, folder: Folder) -> Timeline:
        places = ("", "timeline/")
        completed, begun = [], set()
        for place in places:
            for name in folder.names(f".hoodie/{place}".rstrip("/")):
                found = INSTANT.fullmatch(name)
                if found is None:
                    continue
                action, _, state = found["rest"].partition(".")
                if action in PENDING or state in PENDING:  # an inflight commit is `<time>.inflight`
                    begun.add(found["time"])
                elif not state:
                    completed.append(Instant(found["time"], action, f".hoodie/{place}{name}"))
        done = tuple(sorted(completed, key=lambda one: one.time))
        return cls(folder, done, frozenset(begun - {one.time for one in done}))

    @property
    def writes(self) -> list[Instant]:
        """The completed instants that write files, oldest first."""
        return [one for one in self.completed if one.action in WRITES]

    @property
    def kinds(self) -> Mapping[str, int]:
        return Counter(one.action for one in self.completed)

    @cached_property
    def commits(self) -> tuple[Commit, ...]:
        """The newest completed writes, oldest first. Raises Problem if one cannot be read."""
        with ThreadPoolExecutor(THREADS) as pool:
            return tuple(pool.map(lambda one: _commit(one, self.content(one)), self.writes[-READ:]))

    def cleaned(self, since: str) -> tuple[str, ...]:
        """Paths of the files that cleans after that instant have deleted, relative to the table. Raises Problem."""
        cleans = [one for one in self.completed if one.action == "clean" and one.time > since]
        with ThreadPoolExecutor(THREADS) as pool:
            return tuple(name for names in pool.map(lambda one: _cleaned(self.content(one)), cleans) for name in names)

    def content(self, instant: Instant) -> Mapping[str, Any]:
        """The metadata of an instant, JSON or Avro; empty for an empty file. Raises Problem."""
        content = self.folder.read(instant.name)
        if not content.strip():
            return {}
        try:
            if content.startswith(MAGIC):
                rows = parse_avro(instant.name, content).to_pylist()
                return rows[0] if rows else {}
            parsed = json.loads(content)
        except (Malformed, ValueError, RecursionError) as error:
            raise Problem(f"{self.folder.uri(instant.name)} is not the metadata of an instant: {error}") from error
        if not isinstance(parsed, dict):
            raise Problem(f"{self.folder.uri(instant.name)} is not the metadata of an instant: no object")
        return parsed

    def is_visible(self, time: str) -> bool:
        """Whether files of that instant count: it completed, or is older than the timeline, which archived it."""
        times = [one.time for one in self.completed]
        return time in times or (time not in self.pending and (not times or time < times[0]))


def _commit(instant: Instant, content: Mapping[str, Any]) -> Commit:
    stats = _map(content.get("partitionToWriteStats"))
    return Commit(
        instant=instant,
        operation=str(content.get("operationType") or ""),
        schema=str(_map(content.get("extraMetadata")).get("schema") or ""),
        writes={part: tuple(_writes(of)) for part, of in stats.items()},
        replaced={
            part: tuple(map(str, _list(of))) for part, of in _map(content.get("partitionToReplaceFileIds")).items()
        },
    )


def _cleaned(content: Mapping[str, Any]) -> list[str]:
    partitions = _map(content.get("partitionMetadata")).items()
    return [
        f"{part}/{str(name).rpartition('/')[2]}".lstrip("/")
        for part, of in partitions
        for name in _list(of.get("deletePathPatterns") if isinstance(of, Mapping) else None)
    ]


def _writes(stats: Any) -> Iterator[Write]:
    for one in _list(stats):
        if isinstance(one, Mapping) and one.get("path"):
            yield Write(str(one["path"]), _number(one.get("numWrites")), _number(one.get("numDeletes")))


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _map(value: Any) -> dict[str, Any]:
    """A map, which Arrow gives as a list of pairs; empty for anything else."""
    pairs = value.items() if isinstance(value, Mapping) else _list(value)
    return {str(pair[0]): pair[1] for pair in pairs if isinstance(pair, tuple) and len(pair) == 2}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
