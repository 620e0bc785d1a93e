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
from pathlib import Path

import pytest
from pyiceberg.table import StaticTable

from lab.stack.project import ROOT
from lab.stack.versions import releases
from tests.waiting import wait_until
from tests.xtable.one_writer import TABLE
from xtable.sync import Translator

pytestmark = [pytest.mark.jvm, pytest.mark.spark, pytest.mark.slow]

FIRST, LATE, BETWEEN, _, LAST = range(1, 6)
"""The steps of history_late_commit."""


@contextmanager
def writing(table: Path, step: int, *go: Path) -> Iterator[None]:
    """A process writes this step; at the end of the block it has to have come through."""
    command = [sys.executable, "-m", "tests.xtable.one_writer", str(table), str(step), *map(str, go)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield
            _, words = process.communicate(timeout=300)
        finally:
            process.kill()
    assert process.returncode == 0, words


def write(table: Path, step: int) -> None:
    with writing(table, step):
        pass


def in_flight(table: Path) -> bool:
    begun, done = ({path.stem for path in (table / ".hoodie").glob(name)} for name in ("*.inflight", "*.commit"))
    return bool(begun - done)


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
def test_the_files_in_between_come_twice(translator: Translator, tmp_path: Path) -> None:
    """The same partition's files as of history_late_commit, in whose recorded tables they are `listed 2 times`."""
    table, go = tmp_path / "orders", tmp_path / "go"

    def sync() -> str:
        return translator.sync("HUDI", str(table), TABLE.name, TABLE.partition_spec, "INCREMENTAL").metadata_location

    write(table, FIRST)
    sync()
    with writing(table, LATE, go):
        wait_until(lambda: in_flight(table), "the first commit has begun", 120)
        write(table, BETWEEN)
        assert in_flight(table)
        sync()
        go.touch()
    sync()
    write(table, LAST)
    live = StaticTable.from_metadata(sync()).inspect.data_files()["file_path"].to_pylist()
    parts = Counter(Path(path).parent.name for path in live)
    assert parts == {"part=a": 1, "part=b": 1, "part=c": 1, "part=d": 2, "part=e": 1}
