"""A table that XTable syncs: where it is, each sync in a JVM of its own, and what each left.

Leaves what the source's own reader shows at the end (source.json), and how each sync went (syncs.json, sync.log).
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

HERE = Path.cwd()
TABLES = Path("/tmp/xtable-reproduce")
"""A table stays where it was written: Hudi and Delta keep absolute addresses."""
NOT_TRIED = 6
NAMED = {"DELTA": "*.json", "HUDI": "*.replacecommit"}
"""How the completed commits of a target are called; later ones have greater names."""
UNKNOWN: dict[str, Any] = {"rows": None, "files": None}
"""Of a source that its own reader cannot read: nothing is compared with it."""


class Synced:
    """The table of this name, empty at first. `spec` is XTable's `partitionSpec`."""

    def __init__(self, name: str, format: str, spec: str) -> None:
        fault = json.loads((HERE / "fault.json").read_text())
        if fault.get("of_upgrades") and not os.environ.get("XTABLE_FROM_CLASSPATH"):
            could_not_run(f"{fault['id']} is about upgrades in place: XTABLE_FROM_CLASSPATH names the release before")
        if fault.get("warm"):
            print(f"{fault['warm']} This run is {'such a JVM' if os.environ.get('WARM') else 'without --warm'}.")
        self.name, self.format, self.spec = name, format, spec
        self.source = f"{format}_BY_KERNEL" if fault.get("by_kernel") else format
        self.target: str = fault.get("target", "ICEBERG")
        self.properties: dict[str, str] = fault.get("target_properties", {})
        self.ends_full = bool(fault.get("ends_full"))
        self.folder = TABLES / name
        self.address = self.folder.as_uri()
        self._syncs: list[dict[str, object]] = []
        shutil.rmtree(self.folder, ignore_errors=True)
        for left in ("sync.log", "syncs.json", "source.json", "result.json"):
            (HERE / left).unlink(missing_ok=True)

    def shown(self) -> dict[str, Any]:
        """`rows` and `files` of the source as its own reader shows them: a number, and their places on the disk."""
        raise NotImplementedError

    def described(self) -> dict[str, Any]:
        """As `shown`, with its `columns` and the `nulls` of each."""
        raise NotImplementedError

    def sync(self, in_flight: Sequence[str] = ()) -> None:
        """XTable syncs the table, in a JVM of its own. Commits in flight have not completed yet when it does."""
        hidden = self.of_commits(in_flight)
        for path in hidden:
            path.rename(HERE / path.name)
        with (HERE / "sync.log").open("a") as log:
            command = [str(HERE.parent / "sync.sh"), self.source, self.address, self.name, self.spec, self.target]
            command += [f"{name}={value}" for name, value in self.properties.items()]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=False)
        shown = self.shown()
        for path in hidden:
            (HERE / path.name).rename(path)
        if done.returncode not in (0, 1) or never_began(HERE / "sync.log"):
            could_not_run(f"XTable was not started (exit {done.returncode}); the last lines of sync.log say why")
        self._syncs.append({"exit": done.returncode, "metadata": self._newest_metadata()} | shown)
        (HERE / "syncs.json").write_text(json.dumps(self._syncs, indent=1))

    def of_commits(self, names: Sequence[str]) -> list[Path]:
        """What the source keeps of having completed these commits."""
        del names
        return []

    @property
    def _written(self) -> Path:
        """Where XTable writes the target's metadata."""
        return self.folder / {"DELTA": "_delta_log", "HUDI": ".hoodie"}.get(self.target, "metadata")

    def _newest_metadata(self) -> str | None:
        """None where a sync left no table, or one of Iceberg without a snapshot: it failed before its first commit."""
        if self.target in NAMED:
            metadata = sorted(self._written.glob(NAMED[self.target]))
        else:
            metadata = sorted(self._written.glob("*.metadata.json"), key=lambda path: path.stat().st_mtime_ns)
            if metadata and json.loads(metadata[-1].read_text()).get("current-snapshot-id") in (None, -1):
                return None
        return str(metadata[-1]) if metadata else None

    def close(self) -> None:
        """Ends the history. In an upgrade in place the sync by the later release comes last."""
        if len(self._syncs) == 1 and os.environ.get("XTABLE_FROM_CLASSPATH"):
            self.sync()
        if self.ends_full:
            os.environ["FULL"] = "1"
            self.sync()
        if os.environ.get("RECOVER"):
            self._recover()
        (HERE / "source.json").write_text(json.dumps(self.described(), indent=1))

    def _recover(self) -> None:
        """What brings a table back: without the target's metadata XTable translates it anew, in a fresh JVM."""
        shutil.rmtree(HERE / "metadata.before", ignore_errors=True)
        shutil.move(self._written, HERE / "metadata.before")
        os.environ.pop("WARM", None)
        self._syncs.clear()
        self.sync()


def never_began(log: Path) -> bool:
    """Whether Java found no XTable to run: that is no fault of a sync."""
    words = log.read_text(errors="replace")
    return "Could not find or load main class" in words or "error: compilation failed" in words


def could_not_run(words: str) -> NoReturn:
    print(f"COULD NOT RUN: {words}")
    sys.exit(NOT_TRIED)
