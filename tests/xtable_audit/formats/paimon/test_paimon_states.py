"""A Paimon table as a source: its state at a sync, by its snapshots, schemas and manifests."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.tables.opened_together import AT_ONCE, opened_together
from tests.tables.paimon_by_hand import A, B, C, Change, Paimon, appended, rows
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.named_source import read_rows, read_state
from xtable_audit.formats.source import NotCompared, SourceState, Undetermined
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.table.synced import Synced


def state(
    of: Paimon, milliseconds: int | None = None, live: tuple[str, ...] = (), objects: Objects | None = None
) -> SourceState:
    """After the newest snapshot, or the one of that time."""
    at = datetime.fromtimestamp((milliseconds or of.milliseconds) / 1000, UTC)
    folder = TableFolder(str(of.root), objects) if objects else TableFolder.at(str(of.root))
    return read_state("paimon", folder, Synced(at, "9223372036854775807"), live)


def names(of: SourceState, table: Paimon) -> set[str]:
    return {uri.removeprefix(f"{table.root}/") for uri in of.files}


def numbers(of: Paimon) -> list[int]:
    found: list[int] = read_rows(TableFolder.at(str(of.root)), state(of))["n"].to_pylist()
    return sorted(found)


def with_key(root: Path, **options: str) -> Paimon:
    return Paimon(root, primary_keys=("n",), options=options)


def test_every_file_of_an_append_table_is_its_state(tmp_path: Path) -> None:
    table = appended(tmp_path)
    found = state(table)
    assert (names(found, table), found.at, found.later, found.beside) == ({A, B, C}, "2", 0, {})
    assert (found.columns, numbers(table)) == (("n", "s"), [*range(15)])


def test_its_manifests_are_read_at_once(tmp_path: Path) -> None:
    """Of a store that makes each request wait."""
    table = Paimon(tmp_path)
    paths = [f"bucket-0/data-{number}-0.parquet" for number in range(2 * AT_ONCE)]
    for number, path in enumerate(paths):
        table.commit(Change(path, rows(number)))
    assert names(state(table, objects=opened_together(r"/manifest-\d+$")), table) == {*paths}


def test_a_snapshot_after_the_sync_is_later(tmp_path: Path) -> None:
    table = appended(tmp_path)
    found = state(table, table.milliseconds - 1000)
    assert (names(found, table), found.at, found.newest, found.later) == ({A, B}, "1", "2", 1)


def test_a_deleted_file_is_not_in_its_state(tmp_path: Path) -> None:
    table = appended(tmp_path)
    table.commit(Change(A), Change("bucket-0/data-d-0.parquet", rows(20)))
    assert names(state(table), table) == {B, C, "bucket-0/data-d-0.parquet"}


def test_a_file_in_an_escaped_partition_has_the_address_where_it_lies(tmp_path: Path) -> None:
    table = Paimon(tmp_path, partition_keys=("s",))
    table.commit(Change("s=a%2Fb/bucket-0/data-a-0.parquet", rows(0)))
    found = state(table)
    assert (names(found, table), found.partition_by) == ({"s=a%2Fb/bucket-0/data-a-0.parquet"}, ("s",))


def test_fields_of_structs_are_columns(tmp_path: Path) -> None:
    inner = {"type": "ROW", "fields": [{"id": 3, "name": "x", "type": "INT"}]}
    lists = {"type": "ARRAY", "element": inner}
    table = Paimon(tmp_path, {0: ("n", "BIGINT"), 1: ("st", inner), 2: ("ls", lists)})
    table.commit(Change(A, rows(0)))
    assert state(table).columns == ("n", "st", "st.x", "ls")


def test_an_uncompacted_file_of_a_table_with_a_key_is_beside_the_others(tmp_path: Path) -> None:
    table = with_key(tmp_path)
    table.commit(Change(A, rows(0), level=5), Change(B, rows(3, 4), deletes=1))
    found = state(table)
    ((address, beside),) = found.beside.items()
    assert (names(found, table), address, str(beside)) == (
        {A},
        f"{tmp_path}/{A}",
        "3 updates and 1 delete in 1 uncompacted file",
    )
    with pytest.raises(NotCompared, match="merge with the others"):
        read_rows(TableFolder.at(str(tmp_path)), found)


def test_a_table_with_a_key_that_was_never_compacted_has_no_file_of_its_own(tmp_path: Path) -> None:
    table = with_key(tmp_path)
    table.commit(Change(A, rows(0)), Change("bucket-1/data-b-0.parquet", rows(5)))
    found = state(table)
    assert (found.files, len(found.beside)) == ({}, 2)


def test_a_compaction_may_lift_a_file_to_the_last_level(tmp_path: Path) -> None:
    table = with_key(tmp_path)
    table.commit(Change(A, rows(0)))
    table.commit(Change(A), Change(A, rows(0), level=5))
    found = state(table)
    assert (names(found, table), found.beside, numbers(table)) == ({A}, {}, [*range(5)])


@pytest.mark.parametrize(
    ("options", "level"), [({"num-levels": "3"}, 2), ({"num-sorted-run.compaction-trigger": "2"}, 2)]
)
def test_the_last_level_is_as_the_table_is_configured(options: dict[str, str], level: int, tmp_path: Path) -> None:
    table = with_key(tmp_path, **options)
    table.commit(Change(A, rows(0), level=level))
    assert names(state(table), table) == {A}


@pytest.mark.parametrize("options", [{"merge-engine": "first-row"}, {"sequence.field": "s"}])
def test_an_update_may_take_no_effect_where_others_decide(options: dict[str, str], tmp_path: Path) -> None:
    table = with_key(tmp_path, **options)
    table.commit(Change(A, rows(0), level=5), Change(B, rows(0)), Change("bucket-1/data-c-0.parquet", rows(9)))
    found = state(table).beside
    assert {address.rpartition("-")[0][-1]: one.wins for address, one in found.items()} == {"a": False, "c": True}


def test_a_renamed_column_keeps_its_values(tmp_path: Path) -> None:
    table = Paimon(tmp_path)
    table.commit(Change(A, rows(0)))
    table.alter({0: ("n", "BIGINT"), 1: ("t", "STRING")})
    table.commit(Change(B, rows(5).rename_columns(["n", "t"])))
    shown = read_rows(TableFolder.at(str(tmp_path)), state(table))
    assert (shown.column_names, sorted(shown["t"].to_pylist())) == (["n", "t"], sorted(f"row {n}" for n in range(10)))


def test_rows_are_not_compared_where_an_index_may_delete_some(tmp_path: Path) -> None:
    table = Paimon(tmp_path, index="index-manifest-0")
    table.commit(Change(A, rows(0)))
    with pytest.raises(NotCompared, match="deletion vectors or another index"):
        numbers(table)


def test_a_file_outside_the_folder_is_said(tmp_path: Path) -> None:
    table = Paimon(tmp_path)
    table.commit(Change(A, rows(0), external="s3://elsewhere/data-a-0.parquet"))
    assert state(table).outside == ("s3://elsewhere/data-a-0.parquet",)


def test_a_sync_of_an_expired_snapshot_is_undetermined(tmp_path: Path) -> None:
    table = appended(tmp_path)
    with pytest.raises(Undetermined, match=r"snapshot of 2024-01-01T12:00:00\.500\+00:00, which the source does not"):
        state(table, table.milliseconds - 1500)


def test_a_file_that_is_gone_has_no_size_where_its_place_is_known(tmp_path: Path) -> None:
    table = appended(tmp_path)
    (tmp_path / A).unlink()
    assert state(table, live=(A, B, C)).files[f"{tmp_path}/{A}"] is None
    with pytest.raises(Undetermined, match=r"has no file data-a-0\.parquet any more"):
        state(table)


def test_a_manifest_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    table = appended(tmp_path)
    (tmp_path / "manifest" / "manifest-1").unlink()
    with pytest.raises(Problem, match="manifest-1"):
        state(table)


@pytest.mark.parametrize("name", ["snapshot/snapshot-2", "schema/schema-0", "manifest/manifest-2"])
@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"Obj\x01"])
def test_a_broken_file_is_one_sentence(name: str, content: bytes, tmp_path: Path) -> None:
    table = appended(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Problem, match=name) as raised:
        state(table)
    assert isinstance(raised.value.__cause__, Malformed)


@pytest.mark.parametrize(
    "columns",
    [{0: ("n", {"type": "ROW"})}, {0: ("n", {"type": "ROW", "fields": [3]})}, {0: ("n", {"type": "ROW", "fields": 3})}],
)
def test_a_schema_of_another_shape_is_one_sentence(columns: dict[int, tuple[str, object]], tmp_path: Path) -> None:
    table = Paimon(tmp_path, columns)
    table.commit(Change(A, rows(0)))
    with pytest.raises(Problem, match="schema-0 is no schema of Paimon"):
        state(table)


@pytest.mark.parametrize("options", [{"num-levels": "many"}, {"num-sorted-run.compaction-trigger": ""}])
def test_an_option_that_is_no_number_is_one_sentence(options: dict[str, str], tmp_path: Path) -> None:
    table = with_key(tmp_path, **options)
    table.commit(Change(A, rows(0)))
    with pytest.raises(Problem, match="schema-0 is no schema of Paimon"):
        state(table)


def test_a_folder_without_a_snapshot_is_no_source(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="is no Paimon table"):
        state(Paimon(tmp_path))
