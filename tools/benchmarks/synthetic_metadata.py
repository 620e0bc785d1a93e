"""Iceberg metadata of any number of data files that are not there, with bounds and counts of 21 columns.

`python -m tools benchmarks.synthetic_metadata FOLDER FILES` writes it, in columns: a library's writers take an entry at
a time.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg import types
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import ManifestContent, ManifestFile, PartitionFieldSummary, write_manifest, write_manifest_list
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import new_table_metadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import NestedField, PrimitiveType

from tools.benchmarks.avro import blocks, encode
from xtable_audit.formats.iceberg.avro import SCHEMA, read_header

PUBLISHED = 393_360
"""Data files of the published table of 1 TB, whose partition statistics Hudi describes."""
A_MANIFEST = 30_000
"""Entries of a manifest: about Iceberg's default of 8 MiB, deflated (commit.manifest.target-size-bytes)."""
ROWS, SIZE, A_DAY = 25_000, 2_700_000, 100
"""Rows and bytes of a file, about, and files of a day, by which the table is partitioned."""
SNAPSHOT = 1

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Ends = tuple[pa.Array, pa.Array]
"""Least and greatest value of a column in each file, in single-value bytes (Iceberg spec, Appendix D)."""


@dataclass(frozen=True)
class BoundedColumn:
    """`ends` gives the bounds of the files with these numbers."""

    name: str
    type: PrimitiveType
    ends: Callable[[Numbers], Ends]


def listed(folder: Path, files: int, manifest: int = A_MANIFEST, location: str | None = None) -> str:
    """Writes the metadata of a table with so many files, `manifest` of them in each manifest. Returns the address of
    metadata.json. `location` is None for the folder's own.
    """
    location = location or f"file://{folder}"
    fields = (NestedField(id, one.name, one.type, required=False) for id, one in enumerate(COLUMNS, start=1))
    schema = Schema(*fields)
    day = schema.find_field("day").field_id
    spec = PartitionSpec(PartitionField(day, 1000, IdentityTransform(), "day"))
    table = new_table_metadata(schema, spec, UNSORTED_SORT_ORDER, location, {"format-version": "2"})
    (folder / "metadata").mkdir(parents=True)
    io, manifests = PyArrowFileIO(), []
    empty = folder / "metadata" / "empty.avro"
    with write_manifest(2, spec, schema, io.new_output(str(empty)), SNAPSHOT, "deflate").new_writer():
        pass  # the header alone
    before = empty.read_bytes()
    header = read_header(before)
    empty.unlink()
    at_once = max(1, A_MANIFEST // manifest) * manifest
    for start in range(0, files, at_once):
        numbers = np.arange(start, min(start + at_once, files))
        entries = encode(json.loads(header.metadata[SCHEMA]), _entries(numbers, location))
        for first in range(0, len(numbers), manifest):
            some = numbers[first : first + manifest]
            path = folder / "metadata" / f"{some[0]:09}-m0.avro"
            path.write_bytes(before + blocks(entries.slice(first, len(some)), header.sync))
            manifests.append(_manifest(f"{location}/metadata/{path.name}", path.stat().st_size, some))
    listing = folder / "metadata" / "snap-1.avro"
    with write_manifest_list(2, io.new_output(str(listing)), SNAPSHOT, None, 1, "deflate") as writer:
        writer.add_manifests(manifests)
    content = json.loads(table.model_dump_json()) | {"last-sequence-number": 1, "current-snapshot-id": SNAPSHOT}
    snapshot = {"snapshot-id": SNAPSHOT, "sequence-number": 1, "timestamp-ms": content["last-updated-ms"]}
    totals = {f"{kind}-data-files": str(files) for kind in ("added", "total")}
    totals |= {f"{kind}-records": str(files * ROWS) for kind in ("added", "total")}
    more = {
        "manifest-list": f"{location}/metadata/{listing.name}",
        "summary": {"operation": "append"} | totals,
        "schema-id": 0,
    }
    content |= {
        "snapshots": [snapshot | more],
        "snapshot-log": [{name: snapshot[name] for name in ("snapshot-id", "timestamp-ms")}],
        "refs": {"main": {"snapshot-id": SNAPSHOT, "type": "branch"}},
    }
    written = folder / "metadata" / "v1.metadata.json"
    written.write_text(json.dumps(content), encoding="utf-8")
    return f"{location}/metadata/{written.name}"


def _manifest(path: str, length: int, numbers: Numbers) -> ManifestFile:
    first, last = (int(_day(numbers[place])).to_bytes(4, "little") for place in (0, -1))
    return ManifestFile.from_args(
        manifest_path=path,
        manifest_length=length,
        partition_spec_id=0,
        content=ManifestContent.DATA,
        sequence_number=1,
        min_sequence_number=1,
        added_snapshot_id=SNAPSHOT,
        added_files_count=len(numbers),
        existing_files_count=0,
        deleted_files_count=0,
        added_rows_count=len(numbers) * ROWS,
        existing_rows_count=0,
        deleted_rows_count=0,
        partitions=[PartitionFieldSummary(False, False, first, last)],
    )


def _entries(numbers: Numbers, location: str) -> pa.StructArray:
    files, ids = len(numbers), np.arange(1, len(COLUMNS) + 1)

    def by_field(values: pa.Array, fields: Numbers = ids) -> pa.ListArray:
        """A map from field id; `values` has all files of the first field, then those of the second."""
        order = np.arange(files * len(fields)).reshape(len(fields), files).T.reshape(-1)
        offsets = pa.array(np.arange(files + 1) * len(fields), pa.int32())
        keys = pa.array(np.tile(fields, files), pa.int32())
        return pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays([keys, values.take(order)], PAIR))

    def same(value: Any, kind: pa.DataType) -> pa.Array:
        return pa.repeat(pa.scalar(value, kind), files)

    counts = pa.repeat(pa.scalar(ROWS, pa.int64()), files * len(ids))
    ends = [column.ends(numbers) for column in COLUMNS]
    floating = np.array([id for id, one in zip(ids, COLUMNS, strict=True) if isinstance(one.type, FLOATING)])
    none = pa.array(np.zeros(files * len(ids), np.int64))
    day = _day(numbers)
    name = pc.binary_join_element_wise(
        f"{location}/data/day=", pa.array(day, pa.int32()).cast(pa.date32()).cast(pa.string()), "/",
        pc.utf8_lpad(pa.array(numbers).cast(pa.string()), 9, "0"), ".parquet", "",
    )  # fmt: skip
    columns = {
        "content": same(0, pa.int32()),
        "file_path": name,
        "file_format": same("PARQUET", pa.string()),
        "partition": pa.StructArray.from_arrays([pa.array(day, pa.int32())], ["day"]),
        "record_count": same(ROWS, pa.int64()),
        "file_size_in_bytes": pa.array(SIZE + _drawn(numbers, 7) % 100_000),
        "column_sizes": by_field(pa.array(4_000 + _drawn(np.arange(files * len(ids)), 3) % 200_000)),
        "value_counts": by_field(counts),
        "null_value_counts": by_field(none),
        "nan_value_counts": by_field(none.slice(0, files * len(floating)), floating),
        "lower_bounds": by_field(pa.concat_arrays([low for low, _ in ends])),
        "upper_bounds": by_field(pa.concat_arrays([high for _, high in ends])),
        "key_metadata": pa.nulls(files, pa.binary()),
        "split_offsets": pa.ListArray.from_arrays(
            pa.array(np.arange(files + 1), pa.int32()), pa.repeat(pa.scalar(4, pa.int64()), files)
        ),
        "equality_ids": pa.nulls(files, pa.list_(pa.int32())),
        "sort_order_id": same(0, pa.int32()),
    }
    entry = {
        "status": same(1, pa.int32()),
        "snapshot_id": same(SNAPSHOT, pa.int64()),
        "sequence_number": pa.nulls(files, pa.int64()),
        "file_sequence_number": pa.nulls(files, pa.int64()),
        "data_file": pa.StructArray.from_arrays(list(columns.values()), list(columns)),
    }
    return pa.StructArray.from_arrays(list(entry.values()), list(entry))


PAIR = ["key", "value"]
FLOATING = (types.FloatType, types.DoubleType)


def _drawn(numbers: Numbers, seed: int) -> Numbers:
    """Numbers below 2^31 that look random, the same for the same file."""
    mixed: Numbers = ((numbers + seed * 7919) * 2_654_435_761 >> 7) % (1 << 31)
    return mixed


def _day(numbers: Numbers) -> Numbers:
    """Days since 1970: a hundred files each."""
    return 10_957 + numbers // A_DAY


def _fixed(form: str, low: Numbers, high: Any) -> Ends:
    return _bytes(low, form), _bytes(high, form)


def _bytes(values: Any, form: str) -> pa.Array:
    width, content = np.dtype(form).itemsize, np.ascontiguousarray(values, form)
    return pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(width), len(content), [None, pa.py_buffer(content)]
    ).cast(pa.binary())  # fmt: skip


def _sequence(form: str) -> Callable[[Numbers], Ends]:
    """Each file follows the one before it."""
    return lambda files: _fixed(form, files * 1000, files * 1000 + 999)


def _spread(form: str, most: int, seed: int) -> Callable[[Numbers], Ends]:
    """Nearly the whole range in each file."""
    return lambda files: _fixed(
        form, _drawn(files, seed) % (most // 100), most - 1 - _drawn(files, seed + 1) % (most // 100)
    )


def _promoted(narrow: str, wide: str) -> Callable[[Numbers], Ends]:
    """Files with an even number were written before the column was promoted (Iceberg spec, Type Promotion)."""

    def ends(files: Numbers) -> Ends:
        even = pa.array(files % 2 == 0)
        pairs = zip(_fixed(narrow, files, files + 5), _fixed(wide, files, files + 5), strict=True)
        low, high = (pc.if_else(even, before, after) for before, after in pairs)
        return low, high

    return ends


def _unscaled(low: int, width: int, seed: int) -> Callable[[Numbers], Ends]:
    """Decimals: the fewest big-endian bytes."""

    def encoded(values: Numbers) -> pa.Array:
        every = np.ascontiguousarray(values, ">i8").view(np.uint8).reshape(-1, 8)
        bits = np.arange(7, 63, 8)[:, None]
        sizes = 8 - ((values >= -(1 << bits)) & (values < 1 << bits)).sum(axis=0)
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        content = every[np.arange(8) >= (8 - sizes)[:, None]]
        return pa.Array.from_buffers(pa.binary(), len(values), [None, pa.py_buffer(ends), pa.py_buffer(content)])

    def ends(files: Numbers) -> Ends:
        least = low + _drawn(files, seed) % width
        return encoded(least), encoded(least + _drawn(files, seed + 1) % width)

    return ends


def _text(word: str, digits: int, seed: int) -> Callable[[Numbers], Ends]:
    def of(values: Numbers) -> pa.Array:
        number = pc.utf8_lpad(pa.array(values).cast(pa.string()), digits, "0")
        return pc.binary_join_element_wise(word, number, "").cast(pa.binary())

    most: int = 10**digits
    return lambda files: (of(_drawn(files, seed) % (most // 3)), of(most - 1 - _drawn(files, seed + 1) % (most // 3)))


HOUR = 3_600_000_000
DAY = 24 * HOUR
COLUMNS = (
    BoundedColumn("id", types.LongType(), _sequence("<i8")),
    BoundedColumn("customer", types.LongType(), _spread("<i8", 12_000_000, 1)),
    BoundedColumn("item", types.IntegerType(), _spread("<i4", 300_000, 2)),
    BoundedColumn("quantity", types.IntegerType(), _spread("<i4", 100, 3)),
    BoundedColumn("visits", types.LongType(), _promoted("<i4", "<i8")),
    BoundedColumn("score", types.DoubleType(), _promoted("<f4", "<f8")),
    BoundedColumn("weight", types.FloatType(), _spread("<f4", 5_000, 4)),
    BoundedColumn("ratio", types.DoubleType(), _spread("<f8", 1_000_000, 5)),
    BoundedColumn("list_price", types.DecimalType(7, 2), _unscaled(0, 9_000, 6)),
    BoundedColumn("net_profit", types.DecimalType(7, 2), _unscaled(-900_000, 900_000, 7)),
    BoundedColumn("net_paid", types.DecimalType(18, 2), _unscaled(-10, 1 << 30, 8)),
    BoundedColumn("sold_at", types.TimestampType(), lambda n: _fixed("<i8", _day(n) * DAY, _day(n) * DAY + HOUR)),
    BoundedColumn("shipped_at", types.TimestamptzType(), lambda n: _fixed("<i8", n * HOUR, (n + 48) * HOUR)),
    BoundedColumn("opened_at", types.TimestampType(), _spread("<i8", 24 * HOUR, 9)),
    BoundedColumn("day", types.DateType(), lambda files: _fixed("<i4", _day(files), _day(files))),
    BoundedColumn("is_gift", types.BooleanType(), lambda files: _fixed("?", files * 0, files * 0 + 1)),
    BoundedColumn("city", types.StringType(), _text("Springfield ", 3, 10)),
    BoundedColumn("zip_code", types.StringType(), _text("", 5, 11)),
    BoundedColumn("street", types.StringType(), _text("Main Street ", 4, 12)),
    BoundedColumn("order_number", types.StringType(), _text("", 16, 13)),
    BoundedColumn("digest", types.BinaryType(), _text("", 16, 14)),
)  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools benchmarks.synthetic_metadata", description=__doc__)
    parser.add_argument("folder", type=Path, help="that of the table, which must be new")
    parser.add_argument("files", type=int, help="number of data files that are listed")
    options = parser.parse_args()
    print(listed(options.folder.absolute(), options.files))
