"""Deletes are joined with data files by hash: what is compared grows with them, and not with their product."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from xtable_audit.formats.iceberg import deletes as read_deletes
from xtable_audit.formats.iceberg.deletes import with_deletes
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Compare, IsNull
from xtable_audit.model.scan_input import DataFiles, WantedColumn
from xtable_audit.scan import LocalScanner
from xtable_audit.table.deletions import EQUALITY, POSITION, DeleteFile, Tuple, apply
from xtable_audit.values import deleted_rows, matching_rows
from xtable_audit.values.matching_rows import by_predicate
from xtable_audit.values.value_codes import hashable, numbered

OBJECTS = Objects(fs.LocalFileSystem())
SCHEMA = Schema(NestedField(1, "id", LongType(), required=False))
ID = WantedColumn(1, "id", pa.int64())
EVERY = Compare("id", ">=", 0)
PARTITION: Tuple = (0, ())
FILES, ROWS = 60, 5
IDS = pa.schema([pa.field("id", pa.int64(), metadata={b"PARQUET:field_id": b"1"})])


def streamed(folder: Path) -> tuple[DataFiles, list[DeleteFile], list[tuple[str, int, Tuple]]]:
    """A stream's commits: each adds a file of ROWS ids, and a delete of the first id of the file before, and of 0."""
    data, deletes = [], []
    for number in range(FILES):
        file, delete = (str(folder / f"{number}{name}.parquet") for name in ("", "-deletes"))
        pq.write_table(pa.table([np.arange(number * ROWS, (number + 1) * ROWS)], IDS), file)
        pq.write_table(pa.table([np.array([0, max(number - 1, 0) * ROWS])], IDS), delete)
        data.append((file, number, PARTITION))
        deletes.append(DeleteFile(delete, EQUALITY, "PARQUET", number, PARTITION, (1,)))
    return DataFiles.at(path for path, *_ in data), deletes, data


def live(files: DataFiles) -> dict[str, int]:
    [found] = by_predicate(LocalScanner(OBJECTS).count(files, [ID], [EVERY]), 1)
    return found


def test_a_row_is_compared_with_the_keys_that_are_near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, deletes, data = streamed(tmp_path)
    compared: list[int] = []

    def counting(ours: pa.Array, theirs: pa.Array) -> Any:
        compared.append(len(ours) + len(theirs))
        return numbered(ours, theirs)

    monkeypatch.setattr(deleted_rows, "numbered", counting)
    held = with_deletes(OBJECTS, files, apply(deletes, data, frozenset()), [SCHEMA])
    found = live(held)
    assert [found[path] for path, *_ in data] == [ROWS - 1] * (FILES - 1) + [ROWS]
    assert [len(one.keys) for one in held.equality] == [FILES - 1], "a key that is deleted again and again counts once"
    assert sum(compared) <= 2 * FILES + FILES * (ROWS + 2)


@pytest.mark.parametrize("enough", [1, 2 * ROWS + 1], ids=["alone", "by three"])
def test_rows_of_files_are_counted_together_as_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, enough: int
) -> None:
    """Files of several sequence numbers, one with narrower numbers."""
    files, deletes, data = streamed(tmp_path)
    numbers = pa.table([np.arange(ROWS, dtype=np.int32)], pa.schema([IDS.field(0).with_type(pa.int32())]))
    pq.write_table(numbers, data[-1][0])
    held = with_deletes(OBJECTS, files, apply(deletes, data, frozenset()), [SCHEMA])
    predicates = [EVERY, Compare("id", "=", 3), IsNull("id")]
    together = LocalScanner(OBJECTS).count(held, [ID], predicates)
    monkeypatch.setattr(matching_rows, "ENOUGH", enough)
    assert LocalScanner(OBJECTS).count(held, [ID], predicates).equals(together)
    assert together["matches"].to_pylist()[:2] == [[ROWS - 1, 1, 0], [ROWS - 1, 0, 0]]


def test_a_delete_does_not_reach_its_own_commit(tmp_path: Path) -> None:
    files, deletes, data = streamed(tmp_path)
    data = [(path, number + 1, PARTITION) for path, number, _ in data]
    held = with_deletes(OBJECTS, files, apply(deletes, data, frozenset()), [SCHEMA])
    assert set(live(held).values()) == {ROWS, ROWS - 1}
    assert live(held)[data[-2][0]] == ROWS


def test_a_file_of_positions_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each deletes a row of its own data file, and may delete rows of all."""
    files, _, data = streamed(tmp_path)
    deletes = []
    for number, (path, *_) in enumerate(data):
        file = str(tmp_path / f"{number}-positions.parquet")
        pq.write_table(pa.table({"file_path": [path], "pos": [1]}), file)
        deletes.append(DeleteFile(file, POSITION, "PARQUET", FILES, PARTITION))
    applied = apply(deletes, data, frozenset())
    asked: list[str] = []

    def applies(self: object, delete: DeleteFile, path: str) -> bool:
        asked.append(path)
        return delete.sequence >= 0

    monkeypatch.setattr(type(applied.applied), "applies", applies)
    found = live(with_deletes(OBJECTS, files, applied, [SCHEMA]))
    assert (set(found.values()), len(asked)) == ({ROWS - 1}, FILES)


def test_what_is_broken_is_named_in_the_order_of_the_data_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, deletes, data = streamed(tmp_path)
    read: list[str] = []

    def broken(_: Objects, delete: DeleteFile, __: object) -> None:
        read.append(delete.path)
        raise Malformed(delete.path, "is broken")

    monkeypatch.setattr(read_deletes, "_keys", broken)
    with pytest.raises(Malformed):
        with_deletes(OBJECTS, files, apply(deletes, data, frozenset()), [SCHEMA])
    assert read == [deletes[1].path], "the first that applies to the first data file"


NOON = dt.datetime(2026, 1, 1, 12)
ALIKE: Mapping[str, pa.Array] = {
    "numbers": pa.array([1, 1, None, 2], pa.int32()),
    "floats": pa.array([0.0, -0.0, float("nan"), np.float64("nan"), None, 1.5]),
    "decimals": pa.array([Decimal("1.50"), Decimal("1.50"), None], pa.decimal128(9, 2)),
    "texts": pa.array(["a", "b", "a", None]),
    "dictionary": pa.array(["a", "b", "a", None]).dictionary_encode(),
    "bytes": pa.array([b"ab", b"cd", b"ab"], pa.binary(2)),
    "dates": pa.array([dt.date(2026, 1, 1), None, dt.date(2026, 1, 1)]),
    "far dates": pa.array([2**31 - 1, 0, 2**31 - 1], pa.int32()).cast(pa.date32()),
    "times": pa.array([dt.time(1), dt.time(1), None]),
    "instants": pa.array([NOON, NOON, None], pa.timestamp("us", "UTC")),
    "far instants": pa.array([2**62, 0, 2**62]).cast(pa.timestamp("us")),
    "nanoseconds": pa.array([1, 2, 1_000], pa.timestamp("ns")),
    "booleans": pa.array([True, False, True, None]),
    "structs": pa.array([{"a": 1}, None, {"a": 1}]),
}


@pytest.mark.parametrize("kind", ALIKE)
def test_equal_values_have_one_hash(kind: str) -> None:
    numbers, _ = numbered(ALIKE[kind], ALIKE[kind])
    hashes = [*map(hash, hashable(ALIKE[kind]))]
    for number in {*numbers.tolist()}:
        assert len({hashes[place] for place in np.flatnonzero(numbers == number)}) == 1
