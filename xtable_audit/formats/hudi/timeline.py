"""Hudi's timeline: its instants, the metadata of its commits, and the files that are live by them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.hudi.instants import PLACES, HudiInstant, instant_in
from xtable_audit.formats.iceberg.avro import MAGIC, parse_avro
from xtable_audit.model.malformed import Malformed

WRITES = ("commit", "deltacommit", "replacecommit", "clustering")
READ = 300
"""So many of the newest commits are read."""


@dataclass(frozen=True)
class WrittenFile:
    """What one commit wrote to one file."""

    path: str
    """Relative to the table."""
    records: int
    """Rows of a base file; updates and inserts of a log file."""
    deletes: int


@dataclass(frozen=True)
class HudiCommit:
    """What the metadata of one commit says."""

    instant: HudiInstant
    operation: str
    schema: str
    """Avro, as JSON; empty if there is none."""
    writes: Mapping[str, tuple[WrittenFile, ...]]
    """By partition."""
    replaced: Mapping[str, tuple[str, ...]]
    """Partition -> ids of the file groups that it replaced."""

    @property
    def written(self) -> Mapping[str, tuple[str, ...]]:
        """Partition -> paths of the files that it wrote, relative to the table."""
        return {part: tuple(one.path for one in writes) for part, writes in self.writes.items()}


@dataclass(frozen=True)
class HudiTimeline:
    folder: TableFolder
    completed: tuple[HudiInstant, ...]
    """In the order of their times."""
    pending: frozenset[str]
    """Times of instants without a completed file."""

    @classmethod
    def read(cls, folder: TableFolder) -> HudiTimeline:
        instants = [
            one
            for place in PLACES
            for name in folder.names(place)
            if (one := instant_in(f"{place}/{name}")) is not None
        ]
        done = tuple(sorted((one for one in instants if one.is_completed), key=lambda one: one.time))
        pending = {one.time for one in instants if not one.is_completed}
        return cls(folder, done, frozenset(pending - {one.time for one in done}))

    @property
    def writes(self) -> list[HudiInstant]:
        """The completed instants that write files, oldest first."""
        return [one for one in self.completed if one.action in WRITES]

    @property
    def kinds(self) -> Mapping[str, int]:
        return Counter(one.action for one in self.completed)

    @cached_property
    def commits(self) -> tuple[HudiCommit, ...]:
        """The newest completed writes, oldest first. Raises Malformed if one cannot be read."""
        newest = self.writes[-READ:]
        return tuple(map(_commit, newest, self._contents(newest)))

    def cleaned(self, since: str) -> tuple[str, ...]:
        """Paths of the files that cleans after that instant have deleted, relative to the table. Raises Malformed."""
        cleans = [one for one in self.completed if one.action == "clean" and one.time > since]
        return tuple(name for content in self._contents(cleans) for name in _cleaned(content))

    def content(self, instant: HudiInstant) -> Mapping[str, Any]:
        """The metadata of an instant, JSON or Avro; empty for an empty file. Raises Malformed."""
        return self._parsed(instant, self.folder.read(instant.name))

    def _contents(self, instants: Sequence[HudiInstant]) -> Iterator[Mapping[str, Any]]:
        """As `content`, of each of these, in this order."""
        return map(self._parsed, instants, self.folder.read_all([one.name for one in instants]))

    def _parsed(self, instant: HudiInstant, content: bytes) -> Mapping[str, Any]:
        if not content.strip():
            return {}
        uri = self.folder.uri(instant.name)
        try:
            if content.startswith(MAGIC):
                rows = parse_avro(instant.name, content).to_pylist()
                return rows[0] if rows else {}
            parsed = json.loads(content)
        except (Malformed, ValueError, RecursionError) as error:
            raise Malformed(uri, f"is not the metadata of an instant: {error}") from error
        if not isinstance(parsed, dict):
            raise Malformed(uri, "is not the metadata of an instant: no object")
        return parsed

    def is_visible(self, time: str) -> bool:
        """Whether files of that instant count: it completed, or is older than the timeline, which archived it."""
        times = [one.time for one in self.completed]
        return time in times or (time not in self.pending and (not times or time < times[0]))


def _commit(instant: HudiInstant, content: Mapping[str, Any]) -> HudiCommit:
    stats = _map(content.get("partitionToWriteStats"))
    return HudiCommit(
        instant=instant,
        operation=str(content.get("operationType") or ""),
        schema=str(_map(content.get("extraMetadata")).get("schema") or ""),
        writes={part: tuple(_writes(of)) for part, of in stats.items()},
        replaced={
            part: tuple(map(str, _list(of))) for part, of in _map(content.get("partitionToReplaceFileIds")).items()
        },
    )


def extra_metadata(content: Mapping[str, Any]) -> dict[str, str]:
    """What a write's metadata holds by names of the writer's own."""
    return {name: str(value) for name, value in _map(content.get("extraMetadata")).items()}


def _cleaned(content: Mapping[str, Any]) -> list[str]:
    partitions = _map(content.get("partitionMetadata")).items()
    return [
        f"{part}/{str(name).rpartition('/')[2]}".lstrip("/")
        for part, of in partitions
        for name in _list(of.get("deletePathPatterns") if isinstance(of, Mapping) else None)
    ]


def _writes(stats: Any) -> Iterator[WrittenFile]:
    for one in _list(stats):
        if isinstance(one, Mapping) and one.get("path"):
            yield WrittenFile(str(one["path"]), _number(one.get("numWrites")), _number(one.get("numDeletes")))


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _map(value: Any) -> dict[str, Any]:
    """A map, which Arrow gives as a list of pairs; empty for anything else."""
    pairs = value.items() if isinstance(value, Mapping) else _list(value)
    return {str(pair[0]): pair[1] for pair in pairs if isinstance(pair, tuple) and len(pair) == 2}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


BASE = re.compile(r"(?P<group>[^/_]+)_[^/_]+_(?P<time>\d{14,20})\.parquet")
LOG = re.compile(r"\.(?P<group>[^/_]+)_(?P<time>\d{14,20})\.log\.\d+_.*")
END = "~"
"""Sorts after every instant."""


@dataclass(frozen=True)
class HudiFiles:
    """Paths relative to the table."""

    base: tuple[str, ...]
    logs: tuple[str, ...]


def live_files(
    names: Iterable[str], timeline: HudiTimeline, until: str = END, without: Collection[str] = ()
) -> HudiFiles:
    """Of the table's files, those that its state after the instant `until` shows, had `without` not completed.

    File groups that archived instants have replaced and no clean has removed count as live.
    """
    replaced = {
        (part, id)
        for commit in timeline.commits
        if commit.instant.time <= until and commit.instant.time not in without
        for part, ids in commit.replaced.items()
        for id in ids
    }
    base: dict[tuple[str, str], tuple[str, str]] = {}
    logs: list[tuple[tuple[str, str], str, str]] = []
    visible: dict[str, bool] = {}
    for name in names:
        part, _, file = name.rpartition("/")
        found = BASE.fullmatch(file) or LOG.fullmatch(file)
        if found is None or part.startswith(".hoodie") or (part, found["group"]) in replaced:
            continue
        group, time = (part, found["group"]), found["time"]
        if file.startswith("."):
            logs.append((group, time, name))
        elif time <= until and time not in without and visible.setdefault(time, timeline.is_visible(time)):
            base[group] = max(base.get(group, ("", "")), (time, name))
    newest = {group: time for group, (time, _) in base.items()}
    return HudiFiles(
        tuple(sorted(name for _, name in base.values())),
        tuple(name for group, time, name in logs if time >= newest.get(group, "")),
    )
