"""Measurements of the parts of a file merge to that of the whole, however it is split, and cross a process as Arrow."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import asdict, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import fs
from pyroaring import BitMap64

from xtable_audit import scan as local
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Compare, IsNull
from xtable_audit.model.scan_input import VECTOR, DataFile, DataFiles, Shape, Vector, Wanted, WantedColumn
from xtable_audit.packs import from_bytes, to_bytes
from xtable_audit.scan import LocalScanner
from xtable_audit.values.deleted_rows import VECTOR as MAGIC
from xtable_audit.values.matching_rows import Counting, counted_rows, merge_counted
from xtable_audit.values.measure_file import Measuring, measure_file
from xtable_audit.values.measured_rows import COLUMN, merge, rows_of

PLACE = pa.struct([("city", pa.string())])
ARROW = pa.schema(
    [
        ("n", pa.int64()),
        ("x", pa.float64()),
        ("word", pa.string()),
        ("money", pa.decimal128(9, 2)),
        ("at", pa.timestamp("us")),
        ("place", PLACE),
        ("list", pa.list_(pa.int32())),
    ]
)
COLUMNS = (
    *(
        WantedColumn(number, name, ARROW.field(name).type)
        for number, name in enumerate(("n", "x", "word", "money", "at"))
    ),
    WantedColumn(8, "place.city", pa.string()),
    WantedColumn(9, "absent", pa.int32()),
)
ELEMENT = Shape(11, "element", True, "primitive")
WANTED = Wanted(COLUMNS, demanding=(Shape(10, "list", False, "list", (ELEMENT,)),))
YEAR_20000 = 568_971_820_800_000_000
"""Microseconds from 1970: a year that Python's calendar does not have."""

WORDS = st.sampled_from(["", "a", "é", "🙂", "a" * 40])
ROW = st.fixed_dictionaries(
    {
        "n": st.none() | st.integers(-(2**63), 2**63 - 1),
        "x": st.none() | st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 0.0, 1.5]),
        "word": st.none() | WORDS,
        "money": st.none() | st.integers(-999, 999).map(lambda n: Decimal(n).scaleb(-2)),
        "at": st.none() | st.sampled_from([0, -1, YEAR_20000]),
        "place": st.none() | st.fixed_dictionaries({"city": st.none() | WORDS}),
        "list": st.none() | st.lists(st.none() | st.integers(0, 3), max_size=3),
    }
)
drawn = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
SPLITS = st.lists(st.integers(1, 4), min_size=1, max_size=5)
"""Rows of each row group; the last is as long as it needs to be."""


def objects(folder: Path) -> Objects:
    return Objects(fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem()))


def written(folder: Path, rows: list[dict[str, Any]], groups: list[int]) -> tuple[str, int]:
    """A file, and how many row groups it has."""
    columns = {field.name: pa.array([row[field.name] for row in rows], field.type) for field in ARROW}
    table, start = pa.table(columns, schema=ARROW), 0
    with pq.ParquetWriter(folder / "file.parquet", ARROW) as writer:
        for size in (*groups, len(rows)):
            if start < len(rows):
                writer.write_table(table.slice(start, size))
                start += size
    return "s3://file.parquet", pq.read_metadata(folder / "file.parquet").num_row_groups


def as_bits(table: pa.Table) -> pa.Table:
    """Zeros by their sign: -0.0 equals 0.0 else."""
    bits = []
    for name in ("min", "max"):
        values = table[f"{COLUMN}x"].combine_chunks().field(name)
        bits.append(pa.array(np.asarray(values.fill_null(7.0)).view(np.int64)))
    return table.append_column("bits", pa.StructArray.from_arrays(bits, ["min", "max"]))


@drawn
@given(rows=st.lists(ROW, max_size=12), groups=SPLITS, data=st.data())
def test_parts_in_any_order_of_merging_are_the_whole(
    tmp_path: Path, rows: list[dict[str, Any]], groups: list[int], data: st.DataObject
) -> None:
    path, number = written(tmp_path, rows, groups)
    here, file = objects(tmp_path), DataFile(path)
    whole = rows_of([measure_file(here, file, WANTED)], WANTED)
    parts = [rows_of([measure_file(here, file, WANTED, (group,))], WANTED) for group in range(number)] or [whole]
    while len(parts) > 1:
        place = data.draw(st.integers(0, len(parts) - 2))
        parts[place : place + 2] = [merge(parts[place : place + 2])]
    assert as_bits(parts[0]).equals(as_bits(merge([whole])))


@drawn
@given(rows=st.lists(ROW, max_size=12), groups=SPLITS, gone=st.sets(st.integers(0, 14)))
def test_a_deletion_vector_leaves_what_a_file_without_its_rows_holds(
    tmp_path: Path, rows: list[dict[str, Any]], groups: list[int], gone: set[int]
) -> None:
    """But for the number of rows, in the whole file and in its parts."""
    here, vector = objects(tmp_path), Vector("", inline=MAGIC + BitMap64(gone).serialize())
    path, _ = written(tmp_path, [row for place, row in enumerate(rows) if place not in gone], [])
    left = rows_of([measure_file(here, DataFile(path), WANTED)], WANTED)
    path, number = written(tmp_path, rows, groups)
    file = DataFile(path, vector=vector)
    whole = rows_of([measure_file(here, file, WANTED)], WANTED)
    parts = [rows_of([measure_file(here, file, WANTED, (group,))], WANTED) for group in range(number)] or [whole]
    assert whole["record_count"].to_pylist() == [len(rows)]
    assert as_bits(merge(parts)).equals(as_bits(merge([whole])))
    measured = [name for name in whole.column_names if name.startswith(COLUMN)]
    assert as_bits(whole).select([*measured, "bits"]).equals(as_bits(left).select([*measured, "bits"]))


def test_a_deletion_vector_crosses_a_process_with_its_file(tmp_path: Path) -> None:
    vectors = [Vector("s3://a.bin", 1, 40), None, Vector("a.json", inline=b"x")]
    column = pa.array([one and asdict(one) for one in vectors], VECTOR)
    files = DataFiles(pa.table({"path": ["a", "b", "c"], "vector": column}))
    assert [one.vector for one in replace(files, table=from_bytes(to_bytes(files.table)))] == vectors


@drawn
@given(rows=st.lists(ROW, max_size=12), groups=SPLITS)
def test_matches_of_parts_add_up(tmp_path: Path, rows: list[dict[str, Any]], groups: list[int]) -> None:
    path, number = written(tmp_path, rows, groups)
    here, predicates = objects(tmp_path), [IsNull("n"), Compare("x", "<=", 0.0), Compare("word", "=", "é")]
    deleted = DataFiles(pa.table({"path": [path], "deleted": pa.array([[0, 2, 5]], pa.list_(pa.int64()))}))[0]

    def counted(groups: tuple[int, ...] | None) -> pa.Table:
        counting = Counting(here, COLUMNS, predicates)
        found = counting.file(deleted, groups)
        counting.finish()
        return counted_rows([found])

    parts = [counted((group,)) for group in range(number)]
    live = [row for place, row in enumerate(rows) if place not in (0, 2, 5)]
    naive = [
        sum(row["n"] is None for row in live),
        sum(row["x"] is not None and row["x"] <= 0 for row in live),
        sum(row["word"] == "é" for row in live),
    ]
    whole = counted(None)
    assert whole["matches"].to_pylist() == [naive]
    assert merge_counted(parts or [whole]).equals(whole)


@pytest.mark.parametrize("malformed", [0, 1])
def test_a_file_of_which_a_part_is_malformed_is_malformed(tmp_path: Path, malformed: int) -> None:
    path, _ = written(tmp_path, [], [])
    here = objects(tmp_path)
    good = rows_of([measure_file(here, DataFile(path), WANTED)], WANTED)
    (tmp_path / "file.parquet").write_bytes(b"no Parquet")
    parts = [good, good]
    parts[malformed] = bad = rows_of([measure_file(here, DataFile(path), WANTED)], WANTED)
    assert merge(parts).to_pylist() == bad.to_pylist()
    assert "is not the Parquet file" in bad["malformed"][0].as_py()


def test_a_malformed_file_keeps_no_other_from_being_measured(tmp_path: Path) -> None:
    path, _ = written(tmp_path, [], [])
    (tmp_path / "bad.parquet").write_bytes(b"no Parquet")
    found = LocalScanner(objects(tmp_path)).measure(DataFiles.at(["s3://bad.parquet", path]), WANTED)
    assert found["record_count"].to_pylist() == [None, 0]


def test_a_big_file_is_measured_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"n": 1, "x": 2.0, "word": "a", "money": None, "at": YEAR_20000, "place": None, "list": [None]}
    path, _ = written(tmp_path, [row | {"n": n} for n in range(9)], [2, 2, 2])
    files, scanner = DataFiles.at([path]), LocalScanner(objects(tmp_path))
    whole = scanner.measure(files, WANTED)
    read: list[object] = []

    done = Measuring.file

    def watched(self: Measuring, file: DataFile, groups: tuple[int, ...] | None = None) -> Any:
        read.append(groups)
        return done(self, file, groups)

    monkeypatch.setattr(local, "BIG", 1)
    monkeypatch.setattr(local, "PART_ROWS", 3)
    monkeypatch.setattr(Measuring, "file", watched)
    assert scanner.measure(files, WANTED).equals(whole)
    assert sorted(map(str, read)) == ["(0, 1)", "(2, 3)"]


def test_measurements_cross_a_process_as_arrow(tmp_path: Path) -> None:
    """Years beyond 9999 and the sign of a zero with them."""
    row = {"n": 1, "x": -0.0, "word": "a", "money": Decimal("1.25"), "at": YEAR_20000, "place": None, "list": None}
    path, _ = written(tmp_path, [row], [])
    found = LocalScanner(objects(tmp_path)).measure(DataFiles.at([path]), WANTED)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, found.schema) as stream:
        stream.write_table(found)
    back = pa.ipc.open_stream(sink.getvalue()).read_all()
    assert as_bits(back).equals(as_bits(found))
    assert back[f"{COLUMN}at"].combine_chunks().field("max").cast(pa.int64()).to_pylist() == [YEAR_20000]


def test_footers_keep_nothing_but_types_and_ids(tmp_path: Path) -> None:
    field = pa.field("n", pa.int64(), metadata={"PARQUET:field_id": "7", "comment": "long"})
    schema = pa.schema([field], metadata={"hoodie_bloom_filter": "x" * 100_000})
    pq.write_table(pa.table([pa.array([1])], schema=schema), tmp_path / "file.parquet")
    found = LocalScanner(objects(tmp_path)).measure(DataFiles.at(["s3://file.parquet"]), Wanted(()))
    assert found.nbytes < 2000
    kept = pa.ipc.read_schema(pa.py_buffer(found["schema"][0].as_py()))
    assert kept.field("n").metadata == {b"PARQUET:field_id": b"7"}


@pytest.mark.parametrize("library", ["pyiceberg", "pydantic", "datafusion"])
def test_the_kernel_needs_arrow_alone(library: str) -> None:
    """What an executor imports to run it."""
    code = f"import sys, xtable_audit.scan; sys.exit({library!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_year_20000_is_where_the_tests_expect_it() -> None:
    assert str(np.datetime64(YEAR_20000, "us")).startswith("20000-01-01")
    assert datetime.max.year < 20000
