"""What is said of a translation to Hudi: each condition on a table that has it and on one that lacks it, and words."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from lab.provision.plan import SMALL_TABLES
from spark_jobs.battery.delta_rs import DELTA_RS_TABLES
from spark_jobs.battery.delta_rs_table import write
from tests.of_each import of_each
from tools.pages.affected import source as source_of
from xtable_audit.affected.affected import Affected, Certainty, affected
from xtable_audit.affected.releases import XTableRelease, covered, release_of
from xtable_audit.cli.main import run as run
from xtable_audit.formats.named_source import read_source
from xtable_audit.formats.source import FactAnswer, SourceTable
from xtable_audit.model.source_fact import TableFact
from xtable_audit.model.subject_id import DELTA, HUDI, ICEBERG
from xtable_audit.register.bundled import bundled_register, path_of_register
from xtable_audit.report.release_states import states

MAPPING = "delta.columnMapping"
MEETS, MAY_MEET = Certainty.MEETS, Certainty.MAY_MEET
KNOWN = covered(path_of_register())
HAS_IT = {
    "XTF-034": ("delta_long_texts", MAY_MEET),
    "XTF-035": ("delta_micros", MEETS),
    "XTF-036": ("delta_rs_by_text", MEETS),
    "XTF-037": ("delta_vectors", MEETS),
    "XTF-038": ("delta_by_time", MEETS),
    "XTF-107": ("delta_rs_returned", MAY_MEET),
    "XTF-108": ("delta_mapped", MEETS),
    "XTF-109": ("paimon_by_string", MEETS),
    "XTF-110": ("delta_rs_append", MAY_MEET),
    "XTF-123": ("iceberg_repartitioned", MAY_MEET),
    "XTF-124": ("iceberg_by_string", MEETS),
    "XTF-129": ("parquet_append", MEETS),
}
HAS_IT_OF_ICEBERG = {
    "XTF-037": ("iceberg_position_deletes", MEETS),
    "XTF-038": ("iceberg_by_bucket", MEETS),
    "XTF-110": ("iceberg_append", MAY_MEET),
    "XTF-112": ("iceberg_rename_column", MAY_MEET),
    "XTF-114": ("iceberg_rolled_back", MAY_MEET),
    "XTF-115": ("iceberg_null_day", MEETS),
}
"""What tables of other formats have, too, or what is so of Delta as a target."""
LACKS_IT = {
    "XTF-107": ("delta_rs_restored", "delta_rs_overwrite", "delta_vectors"),
    "XTF-108": ("delta_changed", "delta_replaced"),
    "XTF-109": ("paimon_strings",),
    "XTF-123": ("iceberg_by_string", "iceberg_append"),
    "XTF-124": ("iceberg_append", "iceberg_null_day", "iceberg_by_bucket"),
    "XTF-129": ("parquet_required", "parquet_years_required"),
}


@cache
def found(table: str, target: str = HUDI) -> dict[str, Affected]:
    return by_id(source_of(table), KNOWN[-1].to(target))


def by_id(read: SourceTable, release: XTableRelease) -> dict[str, Affected]:
    return {one.id: one for one in affected(read, release, bundled_register())}


@of_each(("id", "shown"), [*HAS_IT.items(), *HAS_IT_OF_ICEBERG.items()], ids=[*HAS_IT, *HAS_IT_OF_ICEBERG])
def test_a_table_with_the_condition_is_affected(id: str, shown: tuple[str, Certainty]) -> None:
    table, certainty = shown
    assert found(table)[id].certainty is certainty


@of_each(("id", "table"), [(id, table) for id, tables in LACKS_IT.items() for table in tables])
def test_a_table_without_the_condition_is_not(id: str, table: str) -> None:
    assert table in SMALL_TABLES
    assert id not in found(table)


@of_each("id", [id for id in HAS_IT if id > "XTF-106"])
def test_what_hudi_alone_has_is_not_said_of_iceberg(id: str) -> None:
    assert id not in found(HAS_IT[id][0], ICEBERG)


@pytest.mark.parametrize(
    ("id", "table"),
    {"XTF-113": "iceberg_repartitioned", "XTF-117": "iceberg_append", "XTF-121": "iceberg_spaced_name"}.items(),
)
def test_what_delta_alone_has_of_an_iceberg_table_is_not_said_of_hudi(id: str, table: str) -> None:
    assert id in found(table, DELTA)
    assert id not in found(table)


def test_buckets_fail_the_sync_to_hudi_alone() -> None:
    assert "XTF-038" not in found("iceberg_by_bucket", DELTA)


def test_what_iceberg_alone_has_is_not_said_of_hudi() -> None:
    assert "XTF-063" in found("delta_rs_by_text", ICEBERG)
    assert "XTF-063" not in found("delta_rs_by_text")


def returned(folder: Path) -> Path:
    (folder / "written").mkdir()
    write(DELTA_RS_TABLES["delta_rs_returned"], folder / "written")
    return folder / "written" / "3"


def test_the_file_that_returned_is_named(tmp_path: Path) -> None:
    table = read_source(f"delta:{returned(tmp_path)}")
    [because] = by_id(table, KNOWN[-1].to(HUDI))["XTF-107"].because
    assert because.startswith("removed and added again: part-00000-")


def test_a_log_that_begins_with_a_checkpoint_does_not_tell(tmp_path: Path) -> None:
    place = returned(tmp_path)
    DeltaTable(place).create_checkpoint()
    (place / "_delta_log" / f"{0:020}.json").unlink()
    shown = read_source(f"delta:{place}").shown(TableFact.RETURNED)
    assert (shown.answer, shown.by) == (FactAnswer.OPEN, "the log begins with a checkpoint")


@pytest.mark.parametrize(("prefix", "answer"), [("col-", FactAnswer.YES), ("", FactAnswer.NO)])
def test_names_in_the_files_are_others_where_a_mapped_column_has_one(
    prefix: str, answer: FactAnswer, tmp_path: Path
) -> None:
    """A table that was given column mapping later has the names of before in its files."""
    write_deltalake(tmp_path, pa.table({"i": [1]}))
    commit = tmp_path / "_delta_log" / f"{0:020}.json"
    actions = [json.loads(line) for line in commit.read_text().splitlines()]
    metadata = next(action["metaData"] for action in actions if "metaData" in action)
    schema = json.loads(metadata["schemaString"])
    schema["fields"][0]["metadata"] = {f"{MAPPING}.id": 1, f"{MAPPING}.physicalName": f"{prefix}i"}
    metadata |= {"schemaString": json.dumps(schema), "configuration": {f"{MAPPING}.mode": "name"}}
    protocol = next(action["protocol"] for action in actions if "protocol" in action)
    protocol |= {"minReaderVersion": 2, "minWriterVersion": 5}
    commit.write_text("\n".join(map(json.dumps, actions)))
    table = read_source(f"delta:{tmp_path}")
    assert table.shown(TableFact.COLUMN_MAPPING).answer is FactAnswer.YES
    assert table.shown(TableFact.OTHER_NAMES).answer is answer


BAD = {
    "a Hudi table": ("hudi:/lake/a", [], "what XTable makes of Hudi tables as Hudi is not registered"),
    "a folder": ("parquet:/lake/a", [], "what XTable makes of folders of Parquet files as Hudi is not registered"),
    "an upgrade": ("delta:/lake/a", ["--since", "0.3"], "--since is of Iceberg metadata"),
    "an older release": ("delta:/lake/a", ["--xtable", "0.3"], "what XTable 0.3.0 writes as Hudi was not tried"),
    "Delta Kernel": ("delta:/lake/a", ["--delta-source-by", "kernel"], "that Delta Kernel reads was not tried"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_the_register_cannot_answer_exits_4(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    source, options, words = BAD[what]
    assert run(["affected", "--source", source, "--target", "hudi", *options]) == 4
    assert words in " ".join(capsys.readouterr().err.split())


def test_the_command_says_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["affected", "--source", f"delta:{returned(tmp_path)}", "--target", "hudi"]) == 1
    told = capsys.readouterr().out
    assert "XTable 0.4.0, to Hudi\n" in told
    assert "MAY MEET  XTF-107" in told
    assert "Delta Standalone" not in told


def test_of_releases_before_nothing_is_known() -> None:
    entry = next(entry for entry in bundled_register() if entry.id == "XTF-107")
    assert [*states(entry, "xtable", [one.name for one in KNOWN])] == ["0.4.0"]
    assert not entry.is_tried(str(release_of("0.3", KNOWN).version))
