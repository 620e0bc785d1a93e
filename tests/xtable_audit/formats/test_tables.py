"""How a source table is read: timelines of both layouts, live files, logs with checkpoints, footers, S3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from lab.store import moto, objects
from lab.store.running import RunningStore
from tests.tables.families import by_family, unlike
from tests.tables.recorded import stages
from tools.pages.affected import recorded, recorded_sources
from xtable_audit.access.access import Access
from xtable_audit.formats.delta import log as delta_log
from xtable_audit.formats.delta.log import read_log
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.hudi.schema import columns_in, leaves_of, parse_properties
from xtable_audit.formats.hudi.timeline import HudiTimeline, live_files
from xtable_audit.formats.named_source import read_source
from xtable_audit.formats.source import FactAnswer, SourceLeaf, SourceTable, dropped, spread
from xtable_audit.model.problem import Problem
from xtable_audit.model.source_fact import ColumnFact, TableFact

OF_HUDI = [name for name, table in recorded().items() if table.format == "HUDI"]


@by_family(OF_HUDI, str)
def test_live_files_are_those_that_hudi_shows(cases: list[str]) -> None:
    """The last stage of each recording names them."""

    def live(table: str) -> set[str]:
        folder = TableFolder.at(str(recorded_sources() / table))
        return {*live_files(folder.names("", below=True), HudiTimeline.read(folder)).base}

    assert not [*unlike(cases, live, lambda table: {*stages(table)[-1]["base_files"]})]


def hudi(table: str, footers: int = 50) -> SourceTable:
    return read_source(f"hudi:{recorded_sources() / table}", footers=footers)


@pytest.mark.parametrize(("table", "version"), [("v6_footers_0150", "6"), ("v8_native", "8"), ("v9_native", "9")])
def test_both_layouts_of_the_timeline_are_read(table: str, version: str) -> None:
    source = hudi(table)
    assert (source.version, source.files) == (version, 8 + (version == "6"))
    assert {"zip_code", "price", "delivered"} <= {column.path for column in source.columns}


def test_a_write_in_flight_shows_no_files(tmp_path: Path) -> None:
    files = {
        ".hoodie/hoodie.properties": "hoodie.table.version=6\n",
        ".hoodie/20240101000000000.commit": "{}",
        ".hoodie/20240102000000000.commit.requested": "",
        ".hoodie/20240102000000000.inflight": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    timeline = HudiTimeline.read(TableFolder.at(str(tmp_path)))
    names = [f"group-0_0-1-0_{time}.parquet" for time in ("20240101000000000", "20240102000000000")]
    archived = "older-0_0-1-0_20230101000000000.parquet"
    failed = "failed-0_0-1-0_20240101120000000.parquet"
    assert live_files([*names, archived, failed], timeline).base == (names[0], archived)


def test_logs_that_no_base_file_has_taken_in_are_live() -> None:
    folder = TableFolder.at(str(recorded_sources() / "mor_deleted"))
    timeline = HudiTimeline.read(folder)
    names = folder.names("", below=True)
    assert [name for name in names if ".log." in name]
    assert live_files(names, timeline).logs == ()


def test_properties_are_read_as_java_writes_them() -> None:
    content = b"#a comment\n\nhoodie.table.name=a\\:b\nhoodie.key.fields = x,y\n! another\n"
    assert parse_properties(content) == {"hoodie.table.name": "a:b", "hoodie.key.fields": "x,y"}


def test_leaves_are_those_outside_lists_and_maps() -> None:
    inner = {"type": "record", "name": "r", "fields": [{"name": "n", "type": ["null", "int"]}]}
    millis = {"type": "long", "logicalType": "timestamp-millis"}
    fields = [
        {"name": "at", "type": ["null", millis]},
        {"name": "st", "type": inner},
        {"name": "xs", "type": {"type": "array", "items": "int"}},
        {"name": "m", "type": {"type": "fixed", "name": "f", "size": 5, "logicalType": "decimal"}},
    ]
    schema = json.dumps({"type": "record", "name": "t", "fields": fields})
    assert [*leaves_of(columns_in(schema, "t"))] == [
        SourceLeaf(("at",), ("at",), "timestamp", True),
        SourceLeaf(("st", "n"), ("st", "n"), "int"),
        SourceLeaf(("m",), ("m",), "decimal"),
    ]


def test_columns_that_a_schema_no_longer_has_are_dropped() -> None:
    schemas = [[SourceLeaf((name,), (name,), "int") for name in names] for names in ("abc", "a", "ad", "d")]
    assert dropped(schemas) == ["b", "c", "a"]


@pytest.mark.parametrize(("most", "kept"), [(9, "abcde"), (3, "ace"), (2, "ae"), (1, "e"), (0, "")])
def test_a_sample_is_spread_over_all_files(most: int, kept: str) -> None:
    assert "".join(spread("abcde", most)) == kept


def test_what_no_footer_that_was_read_shows_is_open() -> None:
    [ints] = [column for column in hudi("types_ints_plain", footers=1).columns if column.path == "i"]
    assert ints.facts[ColumnFact.NULLS] is FactAnswer.OPEN
    [doubles] = [column for column in hudi("types_nan_plain", footers=2).columns if column.path == "d"]
    assert doubles.facts[ColumnFact.NAN] is FactAnswer.YES


@pytest.fixture
def checkpointed(tmp_path: Path) -> Path:
    """A Delta table whose first commits are in a checkpoint alone: a removed file, and a NaN in the last commit."""
    for value in (1.0, 2.0):
        write_deltalake(tmp_path, pa.table({"x": [value]}), mode="overwrite")
    table = DeltaTable(tmp_path)
    table.create_checkpoint()
    (tmp_path / "_delta_log" / f"{0:020}.json").unlink()
    write_deltalake(tmp_path, pa.table({"x": [3.0, None]}), mode="append")
    return tmp_path


def test_a_long_log_is_read_from_its_checkpoint_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (1.0, 2.0):
        write_deltalake(tmp_path, pa.table({"x": [value]}), mode="append")
    DeltaTable(tmp_path).create_checkpoint()
    assert read_log(TableFolder.at(str(tmp_path))).from_start
    monkeypatch.setattr(delta_log, "MANY", 1)
    log = read_log(TableFolder.at(str(tmp_path)))
    assert (log.from_start, len(log.adds)) == (False, 2)


def test_a_checkpoint_has_the_files_of_before(checkpointed: Path) -> None:
    source = read_source(f"delta:{checkpointed}")
    assert (source.files, [column.path for column in source.columns]) == (2, ["x"])


def test_an_encoded_file_name_of_a_delta_log_is_decoded() -> None:
    assert read_source(f"delta:{recorded_sources() / 'delta_paths'}").footers == 7


@pytest.mark.parametrize("path", ["/etc/passwd", "file:///etc/passwd", "../other.parquet", "a/../../x.parquet"])
def test_a_file_outside_the_table_is_not_opened(checkpointed: Path, path: str) -> None:
    add = {"add": {"path": path, "size": 1, "partitionValues": {}, "dataChange": True}}
    newest = max((checkpointed / "_delta_log").glob("*.json"))
    following = newest.with_name(f"{int(newest.stem) + 1:020}.json")
    following.write_text(json.dumps(add), encoding="utf-8")
    source = read_source(f"delta:{checkpointed}")
    assert (source.files, source.footers) == (3, 2)


def test_files_that_are_no_parquet_are_one_sentence(checkpointed: Path) -> None:
    for file in checkpointed.glob("*.parquet"):
        file.write_bytes(b"no")
    with pytest.raises(Problem, match="has no Parquet footer"):
        read_source(f"delta:{checkpointed}")


def test_one_file_that_is_no_parquet_counts_as_not_read(checkpointed: Path) -> None:
    newest = max((checkpointed / "_delta_log").glob("*.json")).read_text(encoding="utf-8")
    [added] = [json.loads(line)["add"] for line in newest.splitlines() if '"add"' in line]
    (checkpointed / added["path"]).write_bytes(b"no")
    source = read_source(f"delta:{checkpointed}")
    assert (source.files, source.footers) == (2, 1)


@pytest.fixture(scope="module")
def running() -> Iterator[RunningStore]:
    with moto.start() as store:
        yield store


@pytest.mark.parametrize("table", ["types_millis_index", "delta_paths"])
def test_a_table_in_s3_is_read_as_one_on_disk(table: str, running: RunningStore) -> None:
    root = recorded_sources() / table
    for path in filter(Path.is_file, root.rglob("*")):
        objects.write(running.store, f"{table}/{path.relative_to(root)}", path.read_bytes())
    kind = "delta" if table.startswith("delta") else "hudi"
    there = read_source(f"{kind}:{running.store.uri(table)}", access=Access(running.store))
    here = read_source(f"{kind}:{root}")
    assert (there.columns, there.facts, there.footers) == (here.columns, here.facts, here.footers)


def test_an_index_that_keeps_a_list_tells_what_it_leaves_out() -> None:
    shown = hudi("v6_index_120").facts[TableFact.INDEX_LEAVES_OUT]
    assert (shown.answer, shown.by) == (FactAnswer.YES, "not in Hudi's index: _hoodie_commit_seqno, _hoodie_file_name")
