"""What is said of a Delta table that XTable reads by Spark or by Delta Kernel: each finding of one of them alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from spark_jobs.battery.delta_rs import DELTA_RS_TABLES
from spark_jobs.battery.delta_rs_table import write
from tools.pages.affected import recorded_sources
from xtable_audit.affected.affected import Affected, affected
from xtable_audit.affected.releases import covered
from xtable_audit.cli.main import run as run
from xtable_audit.formats.named_source import read_source
from xtable_audit.formats.source import FactAnswer, ShownFact
from xtable_audit.model.source_fact import TableFact
from xtable_audit.model.subject_id import ICEBERG
from xtable_audit.register.affects import KERNEL, SPARK
from xtable_audit.register.bundled import bundled_register, path_of_register


def source(table: str) -> str:
    return f"delta:{recorded_sources() / table}"


def found(table: str, reader: str) -> dict[str, Affected]:
    release = covered(path_of_register())[-1].to(ICEBERG, reader)
    return {one.id: one for one in affected(read_source(source(table)), release, bundled_register())}


def test_a_sync_without_news_fails_where_kernel_reads() -> None:
    assert found("delta_decimals", KERNEL)["XTF-104"].unseen == "a sync begins without a new commit"
    assert "XTF-104" not in found("delta_decimals", SPARK)


def test_a_commit_that_does_not_say_whether_it_appends_blindly_fails_where_kernel_reads(tmp_path: Path) -> None:
    """delta-rs says so of no commit, Spark of each."""
    (folder := tmp_path / "written").mkdir()
    write(DELTA_RS_TABLES["delta_rs_append"], folder)
    read = read_source(f"delta:{folder / '3'}")
    [by_kernel, by_spark] = (
        {one.id: one for one in affected(read, covered(path_of_register())[-1].to(ICEBERG, reader), bundled_register())}
        for reader in (KERNEL, SPARK)
    )
    assert "isBlindAppend is in no commit by delta-rs" in by_kernel["XTF-105"].because[0]
    assert "XTF-105" not in by_spark
    assert "XTF-105" not in found("delta_decimals", KERNEL)


@pytest.mark.parametrize(("table", "because"), [("edge_delta_depths", True), ("delta_decimals", False)])
def test_leaves_of_structs_have_no_bounds_where_kernel_reads(table: str, because: bool) -> None:
    assert "XTF-039" not in found(table, SPARK)
    assert ("XTF-039" in found(table, KERNEL)) is because


def test_the_command_asks_for_the_reader(capsys: pytest.CaptureFixture[str]) -> None:
    by_kernel = ["affected", "--source", source("delta_decimals"), "--delta-source-by", "kernel"]
    assert run(by_kernel) == 1
    assert "XTable 0.4.0, reading Delta by Delta Kernel" in capsys.readouterr().out
    assert run([*by_kernel, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["reader"] == KERNEL


@pytest.mark.parametrize(
    ("named", "options", "words"),
    [
        (
            "delta_decimals",
            ["--xtable", "0.3.0"],
            "XTable 0.3.0 does not read Delta by Delta Kernel; 0.4.0 is the first",
        ),
        ("history_upsert", [], "is no Delta table, and --delta-source-by kernel is of these; leave it out"),
    ],
    ids=["an older release", "a Hudi table"],
)
def test_what_kernel_cannot_read_is_one_sentence(
    named: str, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = source(named) if named.startswith("delta") else f"hudi:{recorded_sources() / named}"
    assert run(["affected", "--source", given, "--delta-source-by", "kernel", *options]) == 4
    assert words in " ".join(capsys.readouterr().err.split())


# how far apart the commits of a Delta table are, by the clocks of their writers


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
