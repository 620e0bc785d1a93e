"""Iceberg tables as sources: entries, and what PyIceberg and Iceberg in Spark write of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.table import StaticTable

from lab.provision.dataset import columns_in
from lab.provision.plan import REQUESTED
from lab.provision.sources.every_source import FORMATS
from lab.provision.sources.iceberg import write
from lab.stack.versions import transform_packages
from lab.store.address import BUCKET, prefix_of
from lab.store.disk import Disk
from spark_jobs.battery.iceberg_source import ICEBERG_TABLES, IN_SPARK, TABLES
from spark_jobs.battery.iceberg_table import HINT
from spark_jobs.battery.table import BatteryTable, Write, service
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from tests.kept import kept
from tests.packages import skip_unless_served
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.iceberg.stored_metrics import read_metadata
from xtable_audit.formats.iceberg.table_json import metadata_below
from xtable_audit.formats.installed import source_format
from xtable_audit.formats.named_source import read_state
from xtable_audit.formats.source import SourceState
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.table.synced import Synced

BY_TRANSFORM = [one for one in TABLES if one.partition_spec]
IN_PYTHON = [one for one in TABLES if not one.partition_spec]


def address(name: str) -> str:
    return f"s3://{BUCKET}/{prefix_of(name)}"


def write_named(folder: Path, name: str) -> None:
    folder.mkdir()
    write(ICEBERG_TABLES[name], folder, address(name))


def written(name: str) -> Path:
    """The folder of the stages of a table."""
    return kept(write_named, "spark_jobs.battery.iceberg_table", name=name)[0]


def in_store(tree: Path, name: str, disk: Disk) -> TableFolder:
    """A stage at the address that its metadata has."""
    disk.show(prefix_of(name), tree)
    return TableFolder(address(name), Objects(disk.filesystem))


def newest(folder: TableFolder) -> Synced:
    metadata = read_metadata(folder.objects, metadata_below(folder.objects, folder.root)[0])
    return Synced(datetime.fromtimestamp(0, UTC), str(metadata.current_snapshot_id), (), "iceberg")


def rows_of(at: TableFolder, state: SourceState) -> pa.Table:
    return source_format("iceberg").rows(at, state, "", {}, None)


def plain(rows: pa.Table) -> list[str]:
    return sorted(map(str, rows.select(sorted(rows.column_names)).to_pylist()))


def stages(of: BatteryTable, folder: Path) -> Iterator[tuple[TableFolder, SourceState, pa.Table, list[str]]]:
    """Each at its address: its state, the rows that PyIceberg shows, and the files that it plans."""
    tree = written(of.name)
    for number, _ in enumerate(of.stages, start=1):
        at = in_store(tree / str(number), of.name, Disk(folder / str(number), BUCKET))
        planned = FORMATS["ICEBERG_SOURCE"].live_files(tree / str(number))
        yield at, read_state("iceberg", at, newest(at), ()), pq.read_table(tree / f"{number}.rows.parquet"), planned


def test_no_name_is_part_of_another() -> None:
    every = [*REQUESTED, *BATTERY, *RECIPES]
    assert not [pair for pair in permutations(every, 2) if pair[0] in pair[1]]


def test_no_table_is_lost_by_a_name_used_twice() -> None:
    assert len(ICEBERG_TABLES) == len((*TABLES, *IN_SPARK))


@pytest.fixture(scope="module")
def transforms() -> None:
    """Skips the tests where pip does not serve the library."""
    skip_unless_served("pyiceberg-core", transform_packages())


def agrees(of: BatteryTable, folder: Path) -> None:
    """The judge's own reading of every stage is PyIceberg's."""
    for at, state, shown, planned in stages(of, folder):
        assert {at.name(uri) for uri in state.files} == {*planned}
        assert None not in state.files.values()
        assert state.columns == columns_in_table(shown, folder)
        assert plain(rows_of(at, state)) == plain(shown)


def columns_in_table(shown: pa.Table, folder: Path) -> tuple[str, ...]:
    pq.write_table(shown.slice(0, 0), folder / "shown.parquet")
    return columns_in(folder / "shown.parquet")


@pytest.mark.parametrize("of", IN_PYTHON, ids=lambda one: str(one.name))
def test_the_judge_reads_the_files_and_rows_that_pyiceberg_does(of: BatteryTable, tmp_path: Path) -> None:
    agrees(of, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("of", BY_TRANSFORM, ids=lambda one: str(one.name))
def test_the_judge_reads_what_is_partitioned_by_a_transform(of: BatteryTable, tmp_path: Path, transforms: None) -> None:
    agrees(of, tmp_path)
    (_, state, _, _), *_ = stages(of, tmp_path / "again")
    assert state.spec == of.partition_spec


@pytest.mark.jvm
@pytest.mark.slow
def test_the_judge_reads_the_deletes_that_spark_writes(tmp_path: Path, transforms: None) -> None:
    *_, (at, state, shown, planned) = stages(ICEBERG_TABLES["iceberg_position_deletes"], tmp_path)
    assert ({at.name(uri) for uri in state.files}, len(planned)) == ({*planned}, 2)
    assert [str(one) for one in state.beside.values()] == ["1 delete in 1 delete file"]
    assert plain(rows_of(at, state)) == plain(shown)
    assert sorted(shown["i"].to_pylist()) == [1, 3, 4, 5, 6]


@pytest.mark.jvm
@pytest.mark.slow
def test_the_judge_reads_the_deletes_by_value_that_icebergs_writer_writes(tmp_path: Path, transforms: None) -> None:
    """As Spark does: PyIceberg refuses the table."""
    _, deleted, inserted = stages(ICEBERG_TABLES["iceberg_equality_deletes"], tmp_path)
    for at, state, shown, planned in (deleted, inserted):
        assert {at.name(uri) for uri in state.files} == {*planned}
        assert plain(rows_of(at, state)) == plain(shown)
    assert [str(one) for one in deleted[1].beside.values()] == ["2 deletes in its delete files"] * 2
    assert sorted(deleted[2]["i"].to_pylist()) == [1, 3, 4, 6]
    assert sorted(inserted[2]["i"].to_pylist()) == [1, 2, 3, 4, 6]
    assert inserted[3] != deleted[3]


@pytest.mark.jvm
@pytest.mark.slow
def test_pyiceberg_refuses_deletes_by_value(tmp_path: Path, transforms: None) -> None:
    """Once it reads them, it shows the table itself, and Spark need not."""
    *_, (at, _, _, _) = stages(ICEBERG_TABLES["iceberg_equality_deletes"], tmp_path)
    location, _ = metadata_below(at.objects, at.root)
    table = StaticTable.from_metadata(location, Disk(tmp_path / "3", BUCKET).pyiceberg())
    with pytest.raises(ValueError, match="PyIceberg does not yet support equality deletes"):
        [*table.scan().plan_files()]


@pytest.mark.jvm
@pytest.mark.slow
def test_the_judge_reads_the_vectors_that_spark_writes(tmp_path: Path, transforms: None) -> None:
    *_, (at, state, shown, _) = stages(ICEBERG_TABLES["iceberg_vectors"], tmp_path)
    assert [one.deletes for one in state.beside.values()] == [1]
    assert plain(rows_of(at, state)) == plain(shown)


def test_the_last_rows_that_were_written_are_shown(tmp_path: Path) -> None:
    """So that PyIceberg is held to what it was given."""
    for of in IN_PYTHON:
        *_, last = of.steps
        if isinstance(last.action, Write):
            *_, (_, _, shown, _) = stages(of, tmp_path / of.name)
            given = [
                row
                for file in last.action.files
                for row in pa.table(
                    {one.name: pa.array(file.columns[one.name], one.type) for one in last.action.schema}
                ).to_pylist()
            ]
            there = [{name: row[name] for name in last.action.schema.names} for row in shown.to_pylist()]
            assert not [row for row in map(str, given) if row not in {*map(str, there)}], of.name


def test_a_table_is_found_as_hadoops_and_its_metadata_is_pyicebergs(tmp_path: Path) -> None:
    """Byte by byte, under another name."""
    metadata = written("iceberg_append") / "3" / "metadata"
    assert (metadata / HINT).read_text(encoding="ascii") == "3"
    by_pyiceberg = {one.read_bytes() for one in metadata.glob("0*.metadata.json")}
    named = [metadata / f"v{number}.metadata.json" for number in (1, 2, 3)]
    assert {one.read_bytes() for one in named} < by_pyiceberg
    ids = [json.loads(one.read_text(encoding="utf-8"))["current-snapshot-id"] for one in named]
    assert len({*ids}) == 3


def test_a_step_that_pyiceberg_has_not_is_one_sentence(tmp_path: Path) -> None:
    odd = BatteryTable("odd", "", (service("compact"),), format="ICEBERG_SOURCE")
    with pytest.raises(AssertionError, match="odd: compact is no step of PyIceberg"):
        write(odd, tmp_path, address("odd"))


@pytest.mark.slow
def test_what_a_process_cannot_write_is_one_sentence(tmp_path: Path, transforms: None) -> None:
    odd = BatteryTable("odd", "", (service("compact"),), format="ICEBERG_SOURCE", partition_spec="p:day")
    with pytest.raises(Problem, match="odd cannot be written by PyIceberg: AssertionError: odd: compact is no step"):
        write(odd, tmp_path, address("odd"))
