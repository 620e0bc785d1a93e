"""Small manifests that are read as one are what each is alone, and what is wrong with one is said of that one."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import fastavro
import pytest
from pyarrow import fs

from tools.benchmarks.listed import COLUMNS, listed
from xtable_audit.formats.iceberg import manifests_together
from xtable_audit.formats.iceberg.avro import InflatedPart
from xtable_audit.formats.iceberg.avro_together import together, whole
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.manifests import Manifest, read_manifest, read_manifest_list
from xtable_audit.formats.iceberg.manifests_together import SMALL, in_groups, read_group
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.model.limits import LIMITS
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects

OBJECTS = Objects(fs.LocalFileSystem())
FILES, EACH = 11, 2
IDS = range(1, len(COLUMNS) + 1)
Record = dict[str, Any]


CHANGED: dict[str, Record | None] = {
    "added": None,
    "some deleted": {"status": 2},
    "some sequence numbers": {"sequence_number": 3, "snapshot_id": None},
}
"""What becomes of an entry of each third manifest."""


@pytest.fixture(params=CHANGED)
def listing(request: pytest.FixtureRequest, tmp_path: Path) -> list[Record]:
    """The manifests of a table, as its list has them."""
    location = listed(tmp_path / "table", FILES, EACH)
    [metadata] = (tmp_path / "table" / "metadata").glob("*.json")
    assert location.endswith(str(metadata))
    found = read_manifest_list(OBJECTS, json.loads(metadata.read_text())["snapshots"][0]["manifest-list"])
    found[1] |= {"sequence_number": 7, "added_snapshot_id": 8}
    if (changed := CHANGED[request.param]) is not None:
        for place, one in enumerate(found):
            change(one, lambda entries, place=place: entries[0].update(changed if place % 3 == 2 else {}))
    return found


def local(one: Record) -> Path:
    return Path(str(one["manifest_path"]).removeprefix("file://"))


def change(one: Record, how: Any) -> None:
    with local(one).open("rb") as stream:
        reader = fastavro.reader(stream)
        schema, entries = reader.writer_schema, list(reader)
    how(entries)
    with local(one).open("wb") as stream:
        fastavro.writer(stream, schema, entries, "deflate")


def told(manifest: Manifest) -> Record:
    """All but its metrics, which are those of all manifests."""
    values = {field.name: getattr(manifest, field.name) for field in fields(manifest) if field.name != "metrics"}
    return values | {name: values[name].to_pylist() for name in ("entries", "live")}


def test_they_are_what_each_is_alone(listing: list[Record]) -> None:
    [read] = read_group(OBJECTS, listing, IDS)
    alone = [read_manifest(OBJECTS, one, IDS) for one in listing]
    assert [told(one) for one in read.each] == [told(one) for one in alone]
    assert read.metrics.to_pylist() == [row for one in alone for row in one.metrics.to_pylist()]
    assert read.live.to_pylist() == [row for one in alone for row in one.live.to_pylist()]


WRONG: dict[str, Any] = {
    "is no file": lambda one: local(one).unlink(),
    "is cut off": lambda one: local(one).write_bytes(local(one).read_bytes()[:-20]),
    "is none": lambda one: local(one).write_bytes(b"PAR1"),
    "lists an unknown content": lambda one: change(one, lambda entries: entries[0]["data_file"].update(content=9)),
}


@pytest.mark.parametrize("spoil", WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_one_is_said_of_it(listing: list[Record], spoil: Any) -> None:
    spoil(listing[3])
    with pytest.raises(Malformed) as alone:
        read_manifest(OBJECTS, listing[3], IDS)
    with pytest.raises(Malformed) as refused:
        list(read_group(OBJECTS, listing, IDS))
    assert (refused.value.location, str(refused.value)) == (listing[3]["manifest_path"], str(alone.value))


def parts(listing: list[Record]) -> list[InflatedPart]:
    found = [whole(OBJECTS.read(one["manifest_path"]), LIMITS) for one in listing]
    return [one for one in found if one is not None]


@pytest.mark.parametrize("moved", [1, -1, 20], ids=["a byte taken", "a byte given", "twenty bytes taken"])
def test_a_file_that_takes_bytes_of_the_next_is_noticed(listing: list[Record], moved: int) -> None:
    """Together they hold as many records and bytes as they promise."""
    each = parts(listing)
    first, second = (b"".join(one.blocks) for one in each[:2])
    both, end = first + second, len(first) + moved
    each[0].blocks[:], each[1].blocks[:] = [both[:end]], [both[end:]]
    with pytest.raises(Exception, match=r"\w"):
        together(each)


def test_a_file_of_other_records_than_it_promises_is_noticed(listing: list[Record]) -> None:
    first, second, *_ = parts(listing)
    both = [first.blocks[0] + second.blocks[0]]
    counts = (first.records + second.records, 0)
    swapped = [
        InflatedPart(one.stored, one.schema, one.weight, records, blocks, one.sync)
        for one, records, blocks in zip((first, second), counts, ([], both), strict=True)
    ]
    assert together([first, second]).num_rows == sum(counts)
    with pytest.raises(ValueError, match="other records than it promises"):
        together(swapped)


def test_neighbours_of_one_kind_that_are_small_make_a_group() -> None:
    def of(content: int, spec: int, length: int = 100) -> Record:
        return {"content": content, "partition_spec_id": spec, "manifest_length": length}

    large = of(0, 0, SMALL + 1)
    kinds = [of(0, 0), of(0, 0), large, of(0, 0), of(0, 1), of(1, 1), of(1, 1), of(1, 1)]
    assert [len(group) for group in in_groups(kinds, 2)] == [2, 1, 1, 1, 2, 1]


def test_a_table_is_read_as_if_each_manifest_were_read_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    location = listed(tmp_path / "table", 50, 1)
    many = read_stored_metrics(OBJECTS, location)
    monkeypatch.setattr(manifests_together, "SMALL", -1)
    alone = read_stored_metrics(OBJECTS, location)
    assert many.files.to_pylist() == alone.files.to_pylist()
    assert many.partition.to_pylist() == alone.partition.to_pylist()
    assert {path: table.to_pylist() for path, table in many.columns.items()} == {
        path: table.to_pylist() for path, table in alone.columns.items()
    }
    assert [told(one) for one in iceberg_of(many).manifests] == [told(one) for one in iceberg_of(alone).manifests]
