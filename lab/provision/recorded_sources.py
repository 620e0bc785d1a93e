"""Source tables of the battery restored from recordings, at every stage, so that Spark does not write them again.

Beside a table's newest stage, `<name>/…`, and its rows, a recording of the sources holds

    <name>.written.json     the key of what writes the table, and where each file of what Spark wrote is recorded
    <name>.earlier/<…>      files that the newest stage does not have, each content once

A recording without them, as those made before 2026-11-24, holds the newest stage alone, and restores nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

from lab.provision.lazy import OnceEach
from lab.provision.sources.known import FORMATS
from lab.provision.stages import ROWS
from lab.stack.cache import SEAL, Cache, key_of
from lab.stack.versions import stack, stack_with_hudi
from spark_jobs.battery.table import BatteryTable
from xtable.archive import SUFFIX, unpacked
from xtable.replay import SOURCES, Recording

KIND = "restored"
WRITTEN, EARLIER = "written.json", "earlier"


def written_key(table: BatteryTable, root: str) -> str:
    """A key of what decides what Spark writes below an address: the entry and the versions.

    Not of the writer's own code, which changes more often than the tables do.
    """
    row = stack_with_hudi(table.hudi) if table.hudi else stack()
    return key_of(
        entry=table.content,
        in_one_second=table.in_one_second,
        jars=row.jars + FORMATS[table.format].jars(),
        spark=row.spark,
        root=root,
    )


def record_written(kept: Path, folder: Path, name: str, key: str) -> None:
    """Records all that Spark wrote of a table, `kept`, in the folder that holds its newest stage and rows already."""
    recorded = [*(folder / name).rglob("*"), folder / f"{name}.{ROWS}"]
    place = {_digest(path): path.relative_to(folder).as_posix() for path in sorted(recorded) if path.is_file()}
    files = {}
    for path in sorted(path for path in kept.rglob("*") if path.is_file() and path != kept / SEAL):
        digest = _digest(path)
        if digest not in place:
            place[digest] = f"{name}.{EARLIER}/{digest[:16]}"
            (folder / f"{name}.{EARLIER}").mkdir(exist_ok=True)
            shutil.copyfile(path, folder / place[digest])
        files[path.relative_to(kept).as_posix()] = place[digest]
    empty = [path.relative_to(kept).as_posix() for path in sorted(kept.rglob("*")) if _is_empty(path)]
    facts = {"key": key, "files": files, "empty_folders": empty}
    (folder / f"{name}.{WRITTEN}").write_text(json.dumps(facts, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def _is_empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


class RecordedSources:
    """The recorded source tables that are valid below `root`, an address such as `s3://bucket/tables`.

    Without `archives`, none.
    """

    def __init__(self, cache: Cache, root: str, archives: Path | None) -> None:
        self._cache = cache
        self._root = root
        self._archives = archives
        self._opened = OnceEach(self._open)

    @property
    def _recording(self) -> Recording | None:
        return self._opened(SOURCES)

    def _open(self, name: str) -> Recording | None:
        if self._archives is None or not (self._archives / f"{name}{SUFFIX}").is_file():
            return None
        return Recording.open(None, unpacked(self._archives, self._cache, name))

    def recorded_on(self, table: BatteryTable) -> str | None:
        """The day of the recording that holds the table as this machine would write it; None if none does.

        Raises Problem for a broken recording.
        """
        return self._recording.day if self._recording and self._facts(table) else None

    def restored(self, table: BatteryTable) -> Path:
        """The folder that Spark wrote, byte for byte (see `Battery.kept`). Raises Problem for a broken recording."""
        recording, facts = self._recording, self._facts(table)
        assert recording is not None
        assert facts is not None
        source = recording.root / SOURCES

        def build(folder: Path) -> None:
            for empty in facts["empty_folders"]:
                (folder / empty).mkdir(parents=True)
            for name, place in facts["files"].items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                os.link(source / place, folder / name)

        return self._cache.publish(KIND, key_of(**facts, digests=_digests(recording, facts)), build)

    def _facts(self, table: BatteryTable) -> dict[str, Any] | None:
        """What `record_written` noted of the table; None if it noted nothing, or the key is another one today."""
        assert self._recording is not None
        path = self._recording.beside(table.name, WRITTEN, source=True)
        if not path.is_file():
            return None
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return facts if facts["key"] == written_key(table, self._root) else None


def _digests(recording: Recording, facts: dict[str, Any]) -> list[str]:
    checksums = recording.sources["checksums"]
    return [checksums[place] for _, place in sorted(facts["files"].items())]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
