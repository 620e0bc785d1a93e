"""What is known of data files without reading their values: by the store, and by counting rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs, orc

from xtable_audit import scan
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFile, DataFiles, Wanted, WantedColumn
from xtable_audit.scan import LocalScanner
from xtable_audit.values.measure_file import FileMeasured, measure_file

ROWS = 5_000


class Failing(Objects):
    """A store that does not answer for one file, nor for those that are asked for with it."""

    def infos(self, uris: Sequence[str]) -> list[fs.FileInfo | None]:
        if any(uri.endswith("/2") for uri in uris):
            raise OSError("the store is gone")
        return super().infos(uris)


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    """Files of 0, 1, … bytes."""
    made = [tmp_path / str(size) for size in range(5)]
    for size, path in enumerate(made):
        path.write_bytes(b"x" * size)
    return [str(path) for path in made]


def looked_up(objects: type[Objects], paths: Sequence[str]) -> dict[str, list[int | None]]:
    found: dict[str, list[int | None]] = (
        LocalScanner(objects(fs.LocalFileSystem())).look_up(DataFiles.at(paths)).to_pydict()
    )
    return found


def measured(file: Path) -> FileMeasured:
    return measure_file(Objects(fs.LocalFileSystem()), DataFile(str(file), is_parquet=False), Wanted(()))


def avro(folder: Path, codec: str = "deflate") -> Path:
    """Of several blocks."""
    schema = {"type": "record", "name": "table", "fields": [{"name": "n", "type": "long"}]}
    file = folder / "rows.avro"
    with file.open("wb") as stream:
        fastavro.writer(stream, schema, [{"n": n} for n in range(ROWS)], codec, sync_interval=2_000)
    return file


def orc_file(folder: Path) -> Path:
    """Of several stripes."""
    file = folder / "rows.orc"
    table = pa.table({"nested": [{"n": n} for n in range(ROWS)], "n": range(ROWS)})
    orc.write_table(table, file, stripe_size=1_024, batch_size=100)
    return file


# What a store knows of data files, without reading them.


@pytest.mark.parametrize("at_once", [1, 2, 100])
def test_size_and_time_are_those_of_each_file(paths: list[str], at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "LOOKED_UP", at_once)
    times = [Path(path).stat().st_mtime_ns for path in paths]
    assert looked_up(Objects, paths) == {"size": [*range(5)], "modified": times}


def test_a_file_that_is_gone_has_neither(paths: list[str]) -> None:
    Path(paths[1]).unlink()
    found = looked_up(Objects, paths)
    assert (found["size"], found["modified"][1]) == ([0, None, 2, 3, 4], None)


def test_a_file_that_the_store_does_not_answer_for_has_neither(
    paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "LOOKED_UP", 1)
    assert looked_up(Failing, paths)["size"] == [0, 1, None, 3, 4]


@dataclass(frozen=True)
class Counted(Objects):
    """Counts what it is asked for."""

    asked: Counter[str] = field(default_factory=Counter)

    def open(self, uri: str) -> pa.NativeFile:
        self.asked["open"] += 1
        return super().open(uri)

    def size(self, uri: str) -> int | None:
        self.asked["size"] += 1
        return super().size(uri)


def test_a_file_that_opens_is_measured_without_another_look(tmp_path: Path) -> None:
    path = str(tmp_path / "a.parquet")
    pq.write_table(pa.table({"a": [1, 2]}), path)
    counted = Counted(fs.LocalFileSystem())
    found = measure_file(counted, DataFile(path), Wanted((WantedColumn(1, "a", pa.int64()),)))
    assert (found.record_count, counted.asked) == (2, {"open": 1})


def test_no_file_is_no_row() -> None:
    assert looked_up(Objects, []) == {"size": [], "modified": []}


# Rows of files whose values are not read are counted, block by block.


@pytest.mark.parametrize("codec", ["null", "deflate"])
def test_rows_of_avro_are_counted(tmp_path: Path, codec: str) -> None:
    found = measured(avro(tmp_path, codec))
    assert (found.counted, found.record_count, found.format) == (ROWS, None, "AVRO")


def test_rows_of_orc_are_counted(tmp_path: Path) -> None:
    found = measured(orc_file(tmp_path))
    assert (found.counted, found.record_count, found.format) == (ROWS, None, "ORC")


@pytest.mark.parametrize("write", [avro, orc_file])
def test_a_file_that_is_cut_off_is_malformed(tmp_path: Path, write: object) -> None:
    assert callable(write)
    file = write(tmp_path)
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    assert (measured(file).malformed or "").startswith("cannot be read: ")


@pytest.mark.parametrize("begins", [b"AGS1", b"PAR1", b""], ids=["encrypted", "Parquet", "empty"])
def test_rows_of_another_file_are_not_counted(tmp_path: Path, begins: bytes) -> None:
    file = tmp_path / "rows"
    file.write_bytes(begins)
    found = measured(file)
    assert (found.counted, found.malformed) == (None, None)
