"""What `check_skipping.py` says of Hudi's indexes and answers, in a folder as `skipping.py` leaves it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tools.reproduce.scripts import as_command, fault, not_seen, ran

NAN = float("nan")
ROWS = pa.table(
    {
        "_hoodie_partition_path": ["s=a", "s=a", "s=b"],
        "_hoodie_file_name": ["1.parquet", "1.parquet", "2.parquet"],
        "number": [1, None, 9],
        "reading": [1.5, NAN, 2.5],
    }
)


def record(of: str, lower: str | None, upper: str | None, nulls: int, values: int, column: str = "number") -> Any:
    kind = "column_stats" if of.endswith(".parquet") else "partition_stats"
    bounds = {"lower": lower, "upper": upper, "tight": True}
    return {"kind": kind, "of": of, "column": column, "nulls": nulls, "values": values} | bounds


TRUE = (
    record("s=a", "1", "1", 1, 2),
    record("s=b", "9", "9", 0, 1),
    record("1.parquet", "1", "1", 1, 2),
    record("2.parquet", "9", "9", 0, 1),
    record("s=b", "2.5", "2.5", 0, 1, "reading"),
    record("s=a", "1.5", '"NaN"', 0, 2, "reading"),
    record("gone.parquet", "0", "5", 0, 7),
)


@dataclass
class Left:
    """What a run left: the records of the indexes, the reader's answers, and the fault that is looked for."""

    claims: tuple[str, ...]
    records: tuple[Any, ...] = TRUE
    columns: tuple[str, ...] = ("number",)
    off: int | str = 2
    on: int | str = 2
    logs: bool = False
    more: dict[str, Any] = field(default_factory=dict)

    def without(self, of: str) -> Left:
        return Left(self.claims, tuple(one for one in self.records if one["of"] != of))


def checked(left: Left, folder: Path) -> tuple[int, str]:
    """The exit status and what is printed."""
    stage = folder / "stages" / "1"
    (stage / "rows").mkdir(parents=True)
    pq.write_table(ROWS, stage / "rows" / "1.parquet")
    facts = {
        "words": "bulk insert",
        "hudi": "1.2.0",
        "live": ["s=a/1.parquet", "s=b/2.parquet"],
        "logs": left.logs,
        "indexes": ["column_stats", "files", "partition_stats"],
        "records": left.records,
    }
    (stage / "index.json").write_text(json.dumps(facts))
    answer = {"predicate": "number > 0", "off": left.off, "on": left.on}
    (folder / "answers.json").write_text(json.dumps([answer | left.more]))
    (folder / "fault.json").write_text(json.dumps(fault(left.claims, left.columns)))
    done = ran("check_skipping.py", folder)
    return done.returncode, done.stdout + done.stderr


def ending(words: str) -> str:
    """The answer, without its reason."""
    return ": ".join(words.rstrip().splitlines()[-1].split(": ")[:2])


CLAIMS = (
    "partition_statistics_contain_every_value",
    "column_statistics_contain_every_value",
    "nan_lies_within_the_bounds",
    "partition_statistics_are_tight",
    "column_statistics_are_tight",
    "bounds_called_tight_are_tight",
    "null_counts_are_right",
    "value_counts_are_right",
    "every_live_file_has_its_column_statistics",
    "every_live_partition_has_its_partition_statistics",
    "no_row_is_lost_by_skipping",
    "every_question_is_answered",
)


def test_a_healthy_index_lacks_every_fault(tmp_path: Path) -> None:
    status, words = checked(Left(CLAIMS, columns=("number", "reading")), tmp_path)
    assert (status, ending(words)) == (0, "FAULT GONE: XTF-000"), words
    assert not_seen(words) == sorted(CLAIMS)


def wrong(number: int, *args: Any) -> tuple[Any, ...]:
    """The true records, one of them replaced."""
    return (*TRUE[:number], record(*args), *TRUE[number + 1 :])


FAULTS: dict[str, Left] = {
    "lower bound of a partition": Left((CLAIMS[0],), wrong(1, "s=b", "10", "10", 0, 1)),
    "bounds of a file absent": Left((CLAIMS[1],), wrong(3, "2.parquet", None, None, 0, 1)),
    "NaN outside": Left((CLAIMS[2],), wrong(5, "s=a", "1.5", "1.5", 0, 2, "reading"), ("reading",)),
    "partition wider than its values": Left((CLAIMS[3],), wrong(0, "s=a", "0", "1", 1, 2)),
    "file wider than its values": Left((CLAIMS[4],), wrong(2, "1.parquet", "1", "2", 1, 2)),
    "wide bounds called tight": Left((CLAIMS[5],), wrong(0, "s=a", "0", "1", 1, 2)),
    "nulls miscounted": Left((CLAIMS[6],), wrong(0, "s=a", "1", "1", 2, 2)),
    "values miscounted": Left((CLAIMS[7],), wrong(0, "s=a", "1", "1", 1, 4)),
    "file without a record": Left((CLAIMS[8],)).without("2.parquet"),
    "partition without a record": Left((CLAIMS[9],)).without("s=b"),
    "row lost": Left((CLAIMS[10],), on=1),
    "question refused": Left((CLAIMS[11],), on="java.lang.ClassCastException: no", more={"tolerant": 2}),
}


@pytest.mark.parametrize("left", FAULTS.values(), ids=FAULTS)
def test_a_broken_claim_is_the_fault(left: Left, tmp_path: Path) -> None:
    status, words = checked(left, tmp_path)
    assert (status, ending(words)) == (10, "FAULT PRESENT: XTF-000"), words


def test_a_broken_claim_of_another_column_is_another_fault(tmp_path: Path) -> None:
    status, words = checked(Left((CLAIMS[0],), wrong(1, "s=b", "10", "10", 0, 1), ("reading",)), tmp_path)
    last = words.rstrip().splitlines()[-1]
    assert status == 0, words
    assert last.startswith("FAULT GONE: XTF-000")
    assert "partition_statistics_contain_every_value" in last


def test_records_of_files_with_logs_are_not_compared(tmp_path: Path) -> None:
    status, words = checked(Left((CLAIMS[1],), wrong(3, "2.parquet", None, None, 0, 1), logs=True), tmp_path)
    assert status == 0, words


@pytest.mark.parametrize(
    "left",
    [Left((CLAIMS[11],), off="no such table", on="no such table"), Left((CLAIMS[10],), records=(), on=1)],
    ids=["a question that fails without skipping too", "a table without an index"],
)
def test_what_accuses_no_index_could_not_run(left: Left, tmp_path: Path) -> None:
    status, words = checked(left, tmp_path)
    assert (status, "COULD NOT RUN" in words) == (6, True), words


def test_the_command_says_the_same(tmp_path: Path) -> None:
    status, words = checked(Left((CLAIMS[0],), wrong(1, "s=b", "10", "10", 0, 1)), tmp_path)
    command = as_command("check_skipping.py", tmp_path)
    assert command.returncode == status, command.stderr
    assert sorted(command.stdout.splitlines()) == sorted(words.splitlines())
