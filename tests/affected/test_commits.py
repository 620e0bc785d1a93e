"""How far apart the commits of a Delta table are, by the clocks of their writers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from xtable_audit.formats.named_source import read_source
from xtable_audit.formats.source import FactAnswer, ShownFact
from xtable_audit.model.source_fact import TableFact

METADATA = {
    "metaData": {"id": "t", "schemaString": json.dumps({"type": "struct", "fields": []}), "partitionColumns": []}
}
HOUR = 3_600_000
DAY = 24 * HOUR


def close_commits(folder: Path, times: Sequence[int | None]) -> ShownFact:
    """Of a table whose commits were at these times, in milliseconds; None is a commit that says none."""
    (folder / "_delta_log").mkdir()
    for version, time in enumerate(times):
        info = {"commitInfo": {"operation": "WRITE"} | ({"timestamp": time} if time is not None else {})}
        actions = [info, *([METADATA] if version == 0 else [])]
        path = folder / "_delta_log" / f"{version:020}.json"
        path.write_text("\n".join(map(json.dumps, actions)), encoding="utf-8")
    return read_source(f"delta:{folder}").facts[TableFact.CLOSE_COMMITS]


@pytest.mark.parametrize(
    ("times", "answer"),
    [
        ([DAY], FactAnswer.NO),
        ([DAY, DAY + HOUR, DAY + 2 * HOUR], FactAnswer.NO),
        ([DAY, DAY + HOUR, DAY + HOUR + 500], FactAnswer.YES),
        ([DAY, DAY - 500], FactAnswer.YES),
        ([DAY, None], FactAnswer.OPEN),
        ([DAY, None, DAY + HOUR, DAY + HOUR + 500], FactAnswer.YES),
    ],
    ids=[
        "one commit",
        "hours apart",
        "two within half a second",
        "a writer whose clock is behind",
        "a commit without a time",
        "two within half a second beside one without a time",
    ],
)
def test_commits_within_a_minute(times: list[int | None], answer: FactAnswer, tmp_path: Path) -> None:
    assert close_commits(tmp_path, times).answer is answer


def test_close_commits_are_counted(tmp_path: Path) -> None:
    shown = close_commits(tmp_path, [DAY, DAY + HOUR, DAY + HOUR + 500, DAY + HOUR + 900])
    assert shown.by == "2 commits within a minute of the one before"


def test_what_a_checkpoint_has_taken_in_is_open(tmp_path: Path) -> None:
    write_deltalake(tmp_path, pa.table({"x": [1]}))
    DeltaTable(tmp_path).create_checkpoint()
    (tmp_path / "_delta_log" / f"{0:020}.json").unlink()
    assert read_source(f"delta:{tmp_path}").facts[TableFact.CLOSE_COMMITS].answer is FactAnswer.OPEN
