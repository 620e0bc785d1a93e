"""`python -m lab.recording.both_ways [RELEASE …]`: does it matter that XTable syncs over a mount?

Syncs each recorded table the other way than it was recorded, and compares what is written with the recording. Writes
docs/both-ways.md. Exit 1 if a table differs in more than ids and times.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from lab.provision.battery_sources import Battery
from lab.provision.history import SYNCS, read_syncs
from lab.provision.live_or_recorded import TRANSLATED
from lab.provision.plan import OVER_MOUNT
from lab.provision.progress import Progress
from lab.recording.battery import histories_of, translate
from lab.stack.cache import Cache, write_atomically
from lab.stack.jars import is_resolvable
from lab.stack.project import ROOT
from lab.stack.versions import release
from lab.store.disk import METADATA
from spark_jobs.battery.tables import BATTERY
from xtable.replay import BATTERY_RECORDINGS, Recording, recorded_releases, unpacked
from xtable.same_output import but_for_ids_and_times
from xtable.writer import Way
from xtable_audit.model.figures import few, many
from xtable_audit.model.problem import Problem

PAGE = ROOT / "docs" / "both-ways.md"
LOGS = ROOT / "out" / "both-ways"
INTRODUCTION = """# Through the store and over a mount

XTable syncs most tables of a live run on this disk, where Hadoop mounts them under the addresses that they have in the
store. `python -m lab.recording.both_ways` shows that this does not matter: it syncs every recorded table the other way,
over a mount if it was recorded through S3A to a store, and compares every metadata.json, manifest list and manifest
with the recording, field by field. Ids, times of commits of Iceberg, the names of the files that hold them, and the
times of Delta's commits, which are those of the files of its log, are left out. Of each sync it compares the kind,
which metadata.json it left, and whether it failed.
"""
HEAD = """| XTable | recorded on | synced over a mount | through the store | syncs | metadata.json files | differ |
|---|---|---|---|---|---|---|"""
NAMED = 5
"""Tables that a line names."""


@dataclass(frozen=True)
class Compared:
    release: str
    recorded_on: str
    mounted: int
    """Tables that were recorded through the store, and synced over a mount for this."""
    through_store: int
    """The converse."""
    syncs: int
    files: int
    """Metadata files and manifests of the newest metadata."""
    differing: dict[str, str]
    """The first difference, by table."""

    def row(self) -> str:
        differing = few(list(self.differing), NAMED) if self.differing else "none"
        figures = " | ".join(f"{number:,}" for number in (self.mounted, self.through_store, self.syncs, self.files))
        return f"| {self.release} | {self.recorded_on} | {figures} | {differing} |"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.recording.both_ways", description=__doc__)
    parser.add_argument("releases", nargs="*", metavar="RELEASE", help="of XTable; all recorded by default")
    names = parser.parse_args(arguments).releases
    LOGS.mkdir(parents=True, exist_ok=True)
    try:
        releases = [release(name).version for name in names] or list(recorded_releases())
        missing = [one for one in releases if not is_resolvable(release(one))]
        if missing:
            raise Problem(f"XTable {few(missing, NAMED)} does not resolve here, so nothing can be synced.")
        compared = [_compared(one) for one in releases]
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 2
    for one in compared:
        for table, where in one.differing.items():
            print(f"{one.release} {table}: {where}")
    print(page(compared))
    if not names:
        write_atomically(PAGE, page(compared).encode())
    return 1 if any(one.differing for one in compared) else 0


def page(compared: Sequence[Compared]) -> str:
    rows = "\n".join(one.row() for one in compared)
    return f"{INTRODUCTION}\n{HEAD}\n{rows}\n"


def _compared(version: str) -> Compared:
    recording = Recording.open(version, unpacked(BATTERY_RECORDINGS, Cache()))
    facts = recording.provenance.get(TRANSLATED, {})
    # The first translations whose sources were noted, but not the way, went over a mount.
    ways = {name: fact.get("through", "mount") for name, fact in facts.items()}
    over_mount = {name for name in recording.datasets if ways.get(name) == "mount"}
    battery = Battery(Progress(Console(highlight=False)), LOGS, Cache(), archives=BATTERY_RECORDINGS)
    tables = [BATTERY[name] for name in recording.datasets if name not in OVER_MOUNT]
    battery.announce(table.name for table in tables)
    histories = histories_of(battery, tables)
    with tempfile.TemporaryDirectory(prefix="xtable-audit-both-") as folder:
        synced = Path(folder)
        for through, names in (("mount", histories.keys() - over_mount), ("store", over_mount)):
            translate(
                Way.of(version), {name: histories[name] for name in sorted(names)}, synced, LOGS / version, through
            )
        pairs = {name: (_content(recording.root / recording.name, name), _content(synced, name)) for name in histories}
        syncs = sum(len(read_syncs(synced / f"{name}.{SYNCS}")) for name in histories)
        files = len(list(synced.glob(f"*/{METADATA}/*.metadata.json")))
    differing = {name: where for name, pair in pairs.items() if (where := first_difference(*pair))}
    mounted = len(histories) - len(over_mount)
    return Compared(version, recording.day, mounted, len(over_mount), syncs, files, differing)


def _content(folder: Path, table: str) -> dict[str, Any]:
    """What syncs left of a table, but for ids and times."""
    syncs = read_syncs(folder / f"{table}.{SYNCS}")
    metadata = folder / table / METADATA
    return {
        "syncs": [[one.stage, one.kind, one.metadata_location, one.failure is None] for one in syncs],
        "metadata": but_for_ids_and_times(metadata, BATTERY[table].format) if metadata.is_dir() else [],
    }


def first_difference(recorded: Any, synced: Any) -> str:
    """Where two JSON values differ first, and both values there; "" if nowhere."""
    return next(_differences(recorded, synced, ""), "")


def _differences(recorded: Any, synced: Any, at: str) -> Iterator[str]:
    match recorded, synced:
        case dict(), dict():
            for key in sorted({*recorded, *synced}):
                yield from _differences(recorded.get(key), synced.get(key), f"{at}.{key}")
        case list(), list() if len(recorded) == len(synced):
            for place, pair in enumerate(zip(recorded, synced, strict=True)):
                yield from _differences(*pair, f"{at}[{place}]")
        case list(), list():
            yield f"{at}: {many(len(recorded), 'item')} recorded, {len(synced)} synced"
        case _ if recorded != synced:
            yield f"{at}: recorded {str(recorded)[:200]}, synced {str(synced)[:200]}"


if __name__ == "__main__":
    sys.exit(main())
