"""What `check_hudi.py` says of a table whose commits are written here, in a folder as a run leaves it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tools.reproduce.scripts import Done, fault, named_by, not_seen, ran
from tools.reproduce.finding import looked_for

PRESENT, GONE = 10, 0
PLACE = "p=x"
ROWS = pa.table({"n": [1, 2], "p": ["x", "x"]})
Edit = Callable[[list[dict[str, Any]]], None]


@dataclass
class Left:
    """What a run left: a table of one file, whose commits are edited, and the claim that is looked for."""

    claim: str
    edit: Edit | None = None
    place: str = PLACE
    names: tuple[str, ...] = ("n", "p")
    gone: bool = False
    exits: tuple[int, ...] = (0,)
    more: tuple[str, ...] = ()
    """Further claims of the finding."""


def commit(path: str, *, adds: bool, replaces: str = "", names: tuple[str, ...]) -> dict[str, Any]:
    part, name = path.rpartition("/")[::2]
    write = {"fileId": name, "path": f"{path}_{TIMES[0]}_hudiext", "numWrites": 2}
    return {
        "partitionToWriteStats": {part: [write]} if adds else {},
        "partitionToReplaceFileIds": {part: [replaces]} if replaces else {},
        "extraMetadata": {"schema": json.dumps({"fields": [{"name": one} for one in names]})},
    }


TIMES = ("20260101000000000", "20260102000000000", "20260103000000000")


@pytest.fixture
def checked(tmp_path: Path) -> Callable[[Left], Done]:
    def check(left: Left) -> Done:
        root = tmp_path / "table"
        data = root / left.place / "a.parquet"
        data.parent.mkdir(parents=True)
        pq.write_table(ROWS, data)
        pq.write_table(ROWS, data.with_name("b.parquet"))
        commits = [commit(f"{left.place}/a.parquet", adds=True, names=left.names)]
        if left.edit:
            left.edit(commits)
        (root / ".hoodie").mkdir()
        (root / ".hoodie" / "hoodie.properties").write_text("#\nhoodie.table.partition.fields=p\n")
        for time, one in zip(TIMES, commits, strict=False):
            newest = root / ".hoodie" / f"{time}.replacecommit"
            newest.write_text(json.dumps(one))
        if left.gone:
            data.unlink()
        known = {"rows": 2, "files": [str(data)]}
        syncs = [{"exit": status, "metadata": str(newest)} | known for status in left.exits]
        source: Mapping[str, Any] = known | {"nulls": {"n": 0}, "columns": ["n", "p"]}
        sought = fault([left.claim, *left.more]) | {"partitioned": True, "target": "HUDI", "target_by": ""}
        files = {"fault.json": sought, "syncs.json": syncs, "source.json": source}
        for name, content in files.items():
            (tmp_path / name).write_text(json.dumps(content))
        (tmp_path / "sync.log").write_text("Caused by: java.io.IOException: x" if any(left.exits) else "SUCCESS")
        return ran("check_hudi.py", tmp_path)

    return check


def replaced(commits: list[dict[str, Any]]) -> None:
    """The file is replaced by a commit, and added again by another."""
    first = commits[0]
    path = f"{PLACE}/a.parquet"
    names = ("n", "p")
    commits += [commit(path, adds=False, replaces="a.parquet", names=names), first]


def counted(commits: list[dict[str, Any]]) -> None:
    commits[0]["partitionToWriteStats"][PLACE][0]["numWrites"] = 3


def twice(commits: list[dict[str, Any]]) -> None:
    """Another file, which is not of the source."""
    stats = commits[0]["partitionToWriteStats"][PLACE]
    stats.append({**stats[0], "fileId": "b", "path": f"{PLACE}/b.parquet_{TIMES[0]}_hudiext"})


FAULTS = {
    "a file that returns": Left("no_file_is_missing", replaced),
    "its rows": Left("no_row_is_missing", replaced),
    "its rows after the sync": Left("rows_are_as_many_after_a_sync", replaced),
    "its file after the sync": Left("no_file_is_missing_after_a_sync", replaced),
    "columns of other names": Left("no_row_is_missing", names=("m", "p")),
    "values of another name": Left("values_are_those_of_the_source", names=("m", "p")),
    "a folder of a bucket": Left("tuples_equal_every_row", place="p=x/bucket-0"),
    "a query by such a value": Left("no_matching_file_is_dropped", place="p=x/bucket-0"),
    "another count": Left("record_counts_are_exact", counted),
    "a file of none": Left("every_file_exists", gone=True),
    "a file too many": Left("no_file_is_stale", twice),
    "a file too many after the sync": Left("no_file_is_stale_after_a_sync", twice),
    "a sync that fails": Left("every_sync_comes_through", exits=(0, 1)),
}


@pytest.mark.parametrize("left", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_seen(left: Left, checked: Callable[[Left], Done]) -> None:
    done = checked(left)
    assert done.returncode == PRESENT, done.stdout + done.stderr


def test_a_sound_table_has_none(checked: Callable[[Left], Done]) -> None:
    claims = sorted(looked_for("check_hudi.py"))
    done = checked(Left(claims[0], more=tuple(claims[1:])))
    assert done.returncode == GONE, done.stdout + done.stderr
    assert not_seen(done.stdout) == claims
    assert "ANOTHER FAULT" not in done.stdout


def test_what_it_looks_for_is_what_it_names() -> None:
    assert looked_for("check_hudi.py") <= named_by("check_hudi.py")
