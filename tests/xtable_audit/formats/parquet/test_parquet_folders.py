"""A folder of Parquet files as a source: which files are its data, and its state at a sync."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from tests.tables.hand_written import FILES, NOON, folder_at, put, rows, time_of
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.named_source import read_rows, read_state
from xtable_audit.formats.parquet.state import is_data_file, partition_columns, partition_values
from xtable_audit.formats.source import SourceState, Undetermined
from xtable_audit.model.problem import Problem
from xtable_audit.table.synced import Synced


def state(root: Path, synced: int = time_of(2), live: tuple[str, ...] = ()) -> SourceState:
    return read_state("parquet", TableFolder.at(str(root)), _synced(str(synced)), live)


def _synced(identifier: str) -> Synced:
    return Synced(datetime.fromtimestamp(NOON, UTC), identifier)


def names(of: SourceState, root: Path) -> set[str]:
    return {uri.removeprefix(f"{root}/") for uri in of.files}


@pytest.mark.parametrize("path", ["a.parquet", "p=a/b.parquet", "_p=a/b.parquet", "deep/er/c.snappy.parquet"])
def test_a_parquet_file_below_the_folder_is_its_data(path: str) -> None:
    assert is_data_file(path)


@pytest.mark.parametrize(
    "path",
    ["_b.parquet", ".b.parquet", "_temporary/0/b.parquet", ".tmp/b.parquet", "_delta_log/1.parquet", "b.csv"],
)
def test_a_hidden_file_or_one_of_another_kind_is_not(path: str) -> None:
    assert not is_data_file(path)


def test_folders_name_partition_columns_and_values() -> None:
    assert partition_values("p=a%2Fb/q=__HIVE_DEFAULT_PARTITION__/x=1.parquet") == {"p": "a/b", "q": None}
    assert partition_columns(["p=a/x.parquet", "p=b/q=1/x.parquet"]) == ("p", "q")


def test_files_as_old_as_the_sync_are_its_state(tmp_path: Path) -> None:
    root = folder_at(tmp_path)
    found = state(root, time_of(1))
    assert (names(found, root), found.later, found.newest) == ({"a.parquet", "b.parquet"}, 1, str(time_of(2)))


def test_a_translated_file_that_is_written_anew_is_in_its_state(tmp_path: Path) -> None:
    root = folder_at(tmp_path)
    assert names(state(root, time_of(1), ("later/c.parquet",)), root) == {*FILES}


def test_a_time_tells_the_state_where_no_identifier_does(tmp_path: Path) -> None:
    root = folder_at(tmp_path)
    found = read_state("parquet", TableFolder.at(str(root)), _synced(""), ())
    assert (names(found, root), found.at) == ({"a.parquet"}, str(time_of(0)))


def test_columns_of_every_file_and_of_paths_are_the_sources(tmp_path: Path) -> None:
    put(tmp_path / "p=a" / "old.parquet", rows(0, f=pa.array([{"x": 1}] * 5)), 0)
    put(tmp_path / "p=a" / "new.parquet", rows(5, t=pa.nulls(5, pa.int32())), 1)
    found = state(tmp_path)
    assert ({*found.columns}, found.partition_by) == ({"n", "s", "f", "f.x", "t", "p"}, ("p",))


def test_a_state_before_every_file_is_undetermined(tmp_path: Path) -> None:
    with pytest.raises(Undetermined, match="each file of the source is newer"):
        state(folder_at(tmp_path), time_of(-1))


def test_a_file_without_a_footer_is_undetermined(tmp_path: Path) -> None:
    (folder_at(tmp_path) / "a.parquet").write_bytes(b"PAR1")
    os.utime(tmp_path / "a.parquet", (NOON, NOON))
    with pytest.raises(Undetermined, match=r"a\.parquet has no Parquet footer that can be read"):
        state(tmp_path)


def test_a_folder_without_a_parquet_file_is_no_source(tmp_path: Path) -> None:
    put(tmp_path / "_temporary" / "a.parquet", rows(0), 0)
    with pytest.raises(Problem, match="is no folder of Parquet files"):
        state(tmp_path)


def test_rows_of_all_files_or_of_some_are_read(tmp_path: Path) -> None:
    root = folder_at(tmp_path, {**FILES, "wide.parquet": rows(15, t=pa.array([True] * 5))})
    folder, found = TableFolder.at(str(root)), state(root, time_of(3))
    every = read_rows(folder, found)
    assert (sorted(every["n"].to_pylist()), every["t"].null_count) == ([*range(20)], 15)
    assert sorted(read_rows(folder, found, only=[folder.uri("b.parquet")])["n"].to_pylist()) == [5, 6, 7, 8, 9]
