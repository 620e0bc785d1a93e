"""Rows of files whose values are not read are counted, block by block."""

from __future__ import annotations

from pathlib import Path

import fastavro
import pyarrow as pa
import pytest
from pyarrow import fs, orc

from xtable_audit.model.objects import Objects
from xtable_audit.model.wanted import DataFile, Wanted
from xtable_audit.values.measure_file import FileMeasured, measure_file

ROWS = 5_000


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
