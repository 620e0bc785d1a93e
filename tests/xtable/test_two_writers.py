"""Two real writers of one Hudi table, one of which completes late: what history_late_commit shows is no artefact.

The battery makes a commit in flight by leaving its completed instant out of the table that XTable syncs. Here a writer
has begun its commit and not completed it, while another one commits and XTable syncs.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest
from pyiceberg.table import StaticTable

from lab.stack.project import ROOT
from lab.stack.versions import releases
from tests.wait_until import wait_until
from tests.xtable.one_writer import TABLE, WRITTEN
from xtable.sync import Translator

pytestmark = [pytest.mark.jvm, pytest.mark.spark, pytest.mark.slow]

FIRST, LATE, BETWEEN, _, LAST = range(1, 6)
"""The steps of history_late_commit."""


@dataclass(frozen=True)
class Writer:
    """A process of its own, with a Spark of its own."""

    requests: IO[str]
    answers: IO[str]
    log: Path

    def begin(self, step: int, *go: Path) -> None:
        print(step, *go, file=self.requests, flush=True)

    def end(self) -> None:
        """The step that it began has to have come through."""
        assert any(line.strip() == WRITTEN for line in iter(self.answers.readline, "")), self.log.read_text()

    def write(self, step: int) -> None:
        self.begin(step)
        self.end()


@contextmanager
def writer(table: Path, log: Path) -> Iterator[Writer]:
    command = [sys.executable, "-m", "tests.xtable.one_writer", str(table)]
    with (
        log.open("w") as words,
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words, text=True
        ) as process,
    ):
        assert process.stdin
        assert process.stdout
        try:
            yield Writer(process.stdin, process.stdout, log)
        finally:
            process.kill()


def in_flight(table: Path) -> bool:
    begun, done = ({path.stem for path in (table / ".hoodie").glob(name)} for name in ("*.inflight", "*.commit"))
    return bool(begun - done)


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
def test_the_files_in_between_come_twice(translator: Translator, tmp_path: Path) -> None:
    """The same partition's files as of history_late_commit, in whose recorded tables they are `listed 2 times`."""
    table, go = tmp_path / "orders", tmp_path / "go"

    def sync() -> str:
        return translator.sync("HUDI", str(table), TABLE.name, TABLE.partition_spec, "INCREMENTAL").metadata_location

    with writer(table, tmp_path / "one.log") as one, writer(table, tmp_path / "other.log") as other:
        one.write(FIRST)
        sync()
        other.begin(LATE, go)
        wait_until(lambda: in_flight(table), "the first commit has begun", 120)
        one.write(BETWEEN)
        assert in_flight(table)
        sync()
        go.touch()
        other.end()
        sync()
        one.write(LAST)
    live = StaticTable.from_metadata(sync()).inspect.data_files()["file_path"].to_pylist()
    parts = Counter(Path(path).parent.name for path in live)
    assert parts == {"part=a": 1, "part=b": 1, "part=c": 1, "part=d": 2, "part=e": 1}
