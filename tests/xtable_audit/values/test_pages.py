"""A page that claims to inflate to more than the footer has for its whole column is refused, whichever page it is."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from xtable_audit.model.limits import MIB
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFile, Wanted, WantedColumn
from xtable_audit.values import open_parquet
from xtable_audit.values.measure_file import measure_file
from xtable_audit.values.open_parquet import HeldPages
from xtable_audit.values.page_headers import _header
from xtable_audit.values.row_groups import Footer

ROWS = 1 << 20
LARGE = 3 * MIB // 2
"""Bytes of a page: as many as take the same room in its header as an absurd number."""
OPTIONS: dict[str, dict[str, Any]] = {
    "version 1": {"data_page_version": "1.0"},
    "version 2": {"data_page_version": "2.0"},
    "with checksums": {"write_page_checksum": True},
    "with a dictionary": {"use_dictionary": True, "dictionary_pagesize_limit": 64 * MIB},
    "inflated": {"compression": "none"},
}
KINDS = {
    "id": WantedColumn(1, "id", pa.int64()),
    "text": WantedColumn(2, "text", pa.string()),
    "place.zip": WantedColumn(3, "place.zip", pa.int64()),
}


def written(file: Path, **options: Any) -> None:
    ids = np.arange(ROWS) * 7919 % 1_000_003
    texts = pa.array(ids).cast(pa.string())
    place = pa.StructArray.from_arrays([pa.array(ids)], ["zip"])
    told = {
        "compression": "snappy",
        "use_dictionary": False,
        "data_page_size": LARGE,
        "max_rows_per_page": ROWS,
    } | options
    pq.write_table(pa.table({"id": ids, "text": texts, "place": place}), file, **(told | options))


def measured(file: Path) -> tuple[int | None, str | None]:
    found = measure_file(Objects(fs.LocalFileSystem()), DataFile(str(file)), Wanted(tuple(KINDS.values())))
    return found.record_count, found.malformed


def claiming(file: Path, column: str, size: int) -> None:
    """The last large page of the column says that it inflates to that."""
    group = pq.read_metadata(file).row_group(0)
    [chunk] = [one for one in map(group.column, range(group.num_columns)) if one.path_in_schema == column]
    place = chunk.dictionary_page_offset or chunk.data_page_offset
    content, end, large = bytearray(file.read_bytes()), place + chunk.total_compressed_size, []
    while place < end:
        inflated, deflated, after = _header(bytes(content[:end]), place)
        large += [(place, inflated)] if inflated > MIB else []
        place = after + deflated
    assert place == end
    at, before = large[-1]
    at = content.index(i32(before), at)
    content[at : at + len(i32(before))] = i32(size)
    file.write_bytes(content)


def i32(number: int) -> bytes:
    """A field after the one before it, as Thrift's compact protocol has it."""
    encoded, rest = bytearray(b"\x15"), number << 1
    while rest > 0x7F:
        encoded.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*encoded, rest])


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_file_as_it_was_written_is_read(options: dict[str, Any], tmp_path: Path) -> None:
    written(tmp_path / "f", **options)
    assert measured(tmp_path / "f") == (ROWS, None)


@pytest.mark.parametrize("column", KINDS)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_page_that_claims_more_than_its_column_is_refused(
    options: dict[str, Any], column: str, tmp_path: Path
) -> None:
    refused(tmp_path, column, options)


def test_in_a_file_that_is_read_whole_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_parquet, "WHOLE", 1 << 30)
    refused(tmp_path, "text", OPTIONS["version 1"])


def refused(tmp_path: Path, column: str, options: dict[str, Any]) -> None:
    written(tmp_path / "f", **options)
    claiming(tmp_path / "f", column, 100 * MIB)
    rows, why = measured(tmp_path / "f")
    assert rows is None
    assert f"a page of {column} in row group 0 claims 104,857,600 bytes, and its footer at most" in str(why)


def test_headers_that_are_none_are_left_to_arrow(tmp_path: Path) -> None:
    """Whatever bytes stand there, the walk over them ends."""
    written(tmp_path / "f")
    content = np.frombuffer((tmp_path / "f").read_bytes(), np.uint8).copy()
    metadata = pq.read_metadata(tmp_path / "f")
    seed = np.random.default_rng(0)
    for _ in range(200):
        column = metadata.row_group(0).column(int(seed.integers(3)))
        begin = column.data_page_offset
        spoilt = content.copy()
        spoilt[begin : begin + 40] = seed.integers(0, 256, 40)
        held = HeldPages(pa.BufferReader(spoilt.tobytes()))
        held.hold(Footer.of(metadata))
        held.seek(begin)
        with suppress(pa.ArrowInvalid):
            assert len(held.read(column.total_compressed_size)) == column.total_compressed_size
