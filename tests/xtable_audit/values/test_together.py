"""Short columns of many files are seen by one call, and nothing that is measured changes by it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFile, DataFiles, Wanted, WantedColumn
from xtable_audit.scan import LocalScanner
from xtable_audit.values import measure_file as measure_file_module
from xtable_audit.values import small_files
from xtable_audit.values.column_measured import ColumnMeasured, structs
from xtable_audit.values.measure_file import Measuring, measure_file
from xtable_audit.values.measured_rows import rows_of
from xtable_audit.values.page_headers import USUAL, _header, page_sizes
from xtable_audit.values.schema_fit import Fit
from xtable_audit.values.small_files import NUMBERS, ShortColumns, Together

OBJECTS = Objects(fs.LocalFileSystem())
NUMBERS_SEEN: list[list[float | None]] = [
    [3.0, -1.5, 2.0],
    [],
    [None, None],
    [None, 7.0, None],
    [math.nan, 1.0],
    [math.nan],
    [0.0, -0.0, 1.0],
    [-0.0, -3.0],
    [math.inf, -math.inf],
]
TYPES = [pa.int32(), pa.int64(), pa.date32(), pa.date64(), pa.time32("s"), pa.time64("us"), pa.timestamp("us", "UTC")]


def same_as_alone(arrays: list[pa.Array]) -> None:
    """Each of a file. Zeros are compared by their sign."""
    kind = arrays[0].type
    alone = [ColumnMeasured(kind) for _ in arrays]
    for column, values in zip(alone, arrays, strict=True):
        column.see(values)
    together = Together([WantedColumn(1, "x", kind)])
    files = [ShortColumns([values], [True]) for values in arrays]
    for file in files:
        together.add(file)
    together.finish()
    found = [file.measured["x"][file.place].as_py() for file in files]
    assert repr(found) == repr(structs(kind, ((column, True) for column in alone)).to_pylist())


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
def test_nans_and_signs_of_zeros_are_seen_as_alone(kind: pa.DataType) -> None:
    same_as_alone([pa.array(values, kind) for values in NUMBERS_SEEN])


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_numbers_and_times_are_seen_as_alone(kind: pa.DataType) -> None:
    assert kind.id in NUMBERS
    whole = pa.array([86_400_000 * day for day in range(-3, 4)], pa.int64())
    plain = whole if kind.bit_width == 64 else pa.array(range(-3, 4), pa.int32())
    values = plain.view(kind)
    same_as_alone(
        [values, values.slice(2, 3), pa.nulls(2, kind), values.slice(0, 0), pa.array([None, values[1]], kind)]
    )


def test_texts_and_large_arrays_do_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_file_module, "SHORT", 3)
    measuring = Measuring(OBJECTS, Wanted((WantedColumn(1, "id", pa.int64()), WantedColumn(2, "s", pa.string()))))
    for rows, alone in ((3, ["s"]), (4, ["id", "s"])):
        pq.write_table(pa.table({"id": range(rows), "s": ["text"] * rows}), tmp_path / "f")
        found = measuring.file(DataFile(str(tmp_path / "f")))
        assert list(found.columns) == alone
        assert (found.short is None) is ("id" in alone)


def written(folder: Path, names: list[str]) -> list[str]:
    """Files of two schemas in turn: the second lacks a column, and has another as a type of its own."""
    draw = np.random.default_rng(0)
    for place, name in enumerate(names):
        table = pa.table({"id": draw.integers(-9, 9, 50), "x": draw.random(50), "s": [name] * 50})
        if place % 2:
            table = table.drop_columns("x").set_column(0, "id", table["id"].cast(pa.int32()))
        pq.write_table(table, folder / name)
    return [str(folder / name) for name in names]


WANTED = Wanted(
    (WantedColumn(1, "id", pa.int64()), WantedColumn(2, "x", pa.float64()), WantedColumn(3, "s", pa.string()))
)


@pytest.mark.parametrize("enough", [1, 120, 1 << 30])
def test_files_of_a_scan_are_measured_as_each_alone(
    enough: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = written(tmp_path, [f"f{place}" for place in range(20)])
    alone = rows_of([measure_file(OBJECTS, DataFile(path), WANTED) for path in paths], WANTED)
    monkeypatch.setattr(small_files, "ENOUGH", enough)
    found = LocalScanner(OBJECTS, 4).measure(DataFiles.at(paths), WANTED)
    assert found.to_pylist() == alone.to_pylist()
    assert {row["record_count"] for row in found.to_pylist()} == {50}


def test_a_broken_file_among_them_is_said_of_it_alone(tmp_path: Path) -> None:
    paths = written(tmp_path, [f"f{place}" for place in range(4)])
    content = bytearray(Path(paths[2]).read_bytes())
    content[4:40] = b"\xff" * 36
    Path(paths[2]).write_bytes(content)
    found = LocalScanner(OBJECTS, 2).measure(DataFiles.at(paths), WANTED)
    assert [reason is None for reason in found["malformed"].to_pylist()] == [True, True, False, True]


def test_how_columns_fit_is_worked_out_once_for_files_of_one_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, done = [], Fit.of

    def watched(*given: Any) -> Fit:
        made.append(given)
        return done(*given)

    monkeypatch.setattr(Fit, "of", watched)
    measuring = Measuring(OBJECTS, WANTED)
    paths = written(tmp_path, [f"f{place}" for place in range(6)])
    for path in (*paths[::2], *paths[1::2]):
        measuring.file(DataFile(path))
    assert len(made) == 2


def test_a_usual_header_is_read_as_any(tmp_path: Path) -> None:
    """The short way and the long one agree, on headers that are spoilt, too."""
    pq.write_table(pa.table({"id": range(100), "s": ["text"] * 100}), tmp_path / "f", write_page_checksum=True)
    content = (tmp_path / "f").read_bytes()
    chunk = pq.read_metadata(tmp_path / "f").row_group(0).column(0)
    draw, usual = np.random.default_rng(0), 0
    for _ in range(3000):
        spoilt = bytearray(content[chunk.dictionary_page_offset or chunk.data_page_offset :][:100])
        for at in draw.integers(0, 50, draw.integers(0, 3)):
            spoilt[at] = int(draw.choice([0, 0x15, 0x18, 0x1C, 0x80, 0xFF, int(draw.integers(256))]))
        usual += USUAL.match(bytes(spoilt)) is not None
        assert sizes(page_sizes, bytes(spoilt)) == sizes(_header, bytes(spoilt))
    assert 1000 < usual < 3000


def sizes(read: Any, content: bytes) -> object:
    try:
        return read(content, 0)
    except (IndexError, ValueError):
        return None
