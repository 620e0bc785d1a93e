"""An Iceberg table as a source: its state at a sync, by its snapshots, schemas and manifests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyiceberg.types import LongType

from tests.tables.healthy_deletes import BY_POSITION, BY_VALUE, DELETED, POSITIONS
from tests.tables.iceberg_by_pyiceberg import files, iceberg, rows, snapshots
from tests.xtable_audit.conftest import TableOf
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.installed import source_format
from xtable_audit.formats.named_source import read_rows, read_source, read_state
from xtable_audit.formats.source import FactAnswer, SourceState, Undetermined
from xtable_audit.model.problem import Problem
from xtable_audit.model.source_fact import TableFact
from xtable_audit.table.synced import Synced

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Any]:
    """Of two commits, a file of two rows each."""
    with iceberg(tmp_path / "t") as made:
        made.append(rows(0))
        made.append(rows(10))
        yield made


def folder_of(table: Any) -> TableFolder:
    return TableFolder.at(table.location().removeprefix("file://"))


def state(table: Any, snapshot: str | None = None) -> SourceState:
    """After that snapshot, or the newest one."""
    synced = Synced(LONG_AGO, snapshot or snapshots(table)[-1], (), "iceberg")
    return read_state("iceberg", folder_of(table), synced, ())


def names(found: SourceState, table: Any) -> list[str]:
    return sorted(uri.removeprefix(f"{table.location()}/") for uri in found.files)


def numbers(table: Any, found: SourceState) -> list[int]:
    return sorted(read_rows(folder_of(table), found)["n"].to_pylist())


def test_every_live_file_is_its_state(table: Any) -> None:
    found = state(table)
    assert (names(found, table), found.at, found.newest, found.later) == (
        files(table),
        snapshots(table)[-1],
        snapshots(table)[-1],
        0,
    )
    assert (found.columns, found.partition_by, found.spec, found.beside, found.outside) == (("n", "s"), (), "", {}, ())
    assert numbers(table, found) == [0, 1, 10, 11]
    root = Path(table.location().removeprefix("file://"))
    sizes = {f"{table.location()}/{one}": (root / one).stat().st_size for one in files(table)}
    assert found.files == sizes


def test_a_snapshot_after_the_sync_is_later(table: Any) -> None:
    found = state(table, snapshots(table)[0])
    assert (len(found.files), found.later, numbers(table, found)) == (1, 1, [0, 1])


def test_a_release_that_notes_the_time_alone_is_answered_by_it(table: Any) -> None:
    first = table.metadata.snapshots[0]
    synced = Synced(datetime.fromtimestamp(first.timestamp_ms / 1000, UTC))
    assert read_state("iceberg", folder_of(table), synced, ()).at == str(first.snapshot_id)


def test_a_table_that_was_synced_before_its_first_snapshot_had_no_file(table: Any) -> None:
    found = state(table, "0")
    assert (found.files, found.later, found.at, numbers(table, found)) == ({}, 2, "0", [])


def test_a_deleted_file_is_not_in_its_state(table: Any) -> None:
    table.delete("n >= 10")
    assert (names(state(table), table), numbers(table, state(table))) == (files(table), [0, 1])
    assert len(state(table).files) == 1


def test_a_file_that_expired_has_no_size(table: Any) -> None:
    gone, _ = files(table)
    (Path(table.location().removeprefix("file://")) / gone).unlink()
    assert [uri for uri, size in state(table).files.items() if size is None] == [f"{table.location()}/{gone}"]


def test_a_renamed_column_has_its_name_now_and_its_older_one_then(table: Any) -> None:
    with table.update_schema() as schema:
        schema.rename_column("s", "t")
    table.append(rows(20).rename_columns(["n", "t"]))
    assert (state(table).columns, state(table, snapshots(table)[0]).columns) == (("n", "t"), ("n", "s"))
    assert sorted(read_rows(folder_of(table), state(table))["t"].to_pylist()) == [
        "s0",
        "s1",
        "s10",
        "s11",
        "s20",
        "s21",
    ]


def test_a_column_in_the_place_of_a_dropped_one_is_another(table: Any) -> None:
    with table.update_schema() as schema:
        schema.delete_column("n")
    with table.update_schema() as schema:
        schema.add_column("n", LongType())
    assert read_rows(folder_of(table), state(table))["n"].to_pylist() == [None] * 4


def test_partition_columns_are_those_of_the_newest_spec(tmp_path: Path) -> None:
    with iceberg(tmp_path / "t") as table:
        with table.update_spec() as spec:
            spec.add_identity("s")
        table.append(rows(0))
        assert (state(table).partition_by, state(table).spec) == (("s",), "")
        with table.update_spec() as spec:
            spec.add_field("n", "bucket[4]", "b")
        assert state(table).spec == "s:identity,n:bucket[4]"


def test_a_table_that_was_rolled_back_is_undetermined(table: Any) -> None:
    synced = snapshots(table)[-1]
    table.manage_snapshots().rollback_to_snapshot(int(snapshots(table)[0])).commit()
    with pytest.raises(Undetermined, match=f"synced to the snapshot {synced}, from which the source's current one"):
        state(table, synced)


def test_an_expired_snapshot_is_undetermined(table: Any) -> None:
    with pytest.raises(Undetermined, match="synced to the snapshot 77, which the source does not have any more"):
        state(table, "77")


def test_rows_that_delete_files_remove_are_not_shown(table_of: TableOf) -> None:
    """Two by position and two by value, of files of which none other is touched."""
    made = table_of(DELETED)
    folder = TableFolder(made.root, made.mirror.objects)
    current = json.loads(made.mirror.file(made.metadata_location).read_text(encoding="utf-8"))["current-snapshot-id"]
    found = read_state("iceberg", folder, Synced(LONG_AGO, str(current), (), "iceberg"), ())
    shown = source_format("iceberg").rows(folder, found, "", {}, None)
    assert sum(_written(found, folder)) - shown.num_rows == len(POSITIONS) + 2
    paths = [*found.files]
    assert {paths.index(one): beside.deletes for one, beside in found.beside.items()} == {
        BY_POSITION: len(POSITIONS),
        BY_VALUE: 2,
    }


def _written(found: SourceState, folder: TableFolder) -> Iterator[int]:
    """Rows of each data file, those that are deleted too."""
    for uri in found.files:
        with folder.objects.open(uri) as stream:
            yield pq.read_metadata(stream).num_rows


@pytest.mark.parametrize(
    ("place", "words"),
    [("empty", "is no Iceberg table: .*/empty/metadata holds no metadata.json"), ("t/data", "is no Iceberg table")],
)
def test_a_folder_that_holds_none_is_one_sentence(table: Any, tmp_path: Path, place: str, words: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(Problem, match=words):
        read_state("iceberg", TableFolder.at(str(tmp_path / place)), Synced(LONG_AGO, "1"), ())


def test_a_broken_manifest_list_is_one_sentence(table: Any) -> None:
    (Path(table.metadata.current_snapshot().manifest_list.removeprefix("file://"))).write_bytes(b"Obj\x01nothing")
    with pytest.raises(Problem, match=r"snap-.*\.avro"):
        state(table)


def test_its_metadata_is_read_for_findings_where_it_is(table: Any) -> None:
    found = read_source(f"iceberg:{folder_of(table).root}")
    assert (found.format, found.versioned, found.version, found.files) == ("iceberg", "Iceberg format version", "2", 2)
    assert {fact for fact, shown in found.facts.items() if shown.answer is FactAnswer.YES} == {TableFact.FIELD_IDS}
