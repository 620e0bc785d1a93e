"""Manifests: what their headers say, metrics as columns, and small manifests that are read as one."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import fs
from pyiceberg import types

from tests.tables.draft import Draft, Record, change_header, header_of
from tests.xtable_audit.conftest import DraftOf
from tools.benchmarks.synthetic_metadata import COLUMNS, listed
from xtable_audit.formats.iceberg import manifests_together
from xtable_audit.formats.iceberg.avro import InflatedPart
from xtable_audit.formats.iceberg.claims.manifests import headers_are_those_of_the_table
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.manifest_fields import MAPS, by_field, column_of
from xtable_audit.formats.iceberg.manifest_header import columns_of
from xtable_audit.formats.iceberg.manifests import Manifest, read_manifest, read_manifest_list
from xtable_audit.formats.iceberg.manifests_together import SMALL, in_groups, read_group, together, whole
from xtable_audit.formats.iceberg.single_value import decode
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.model.limits import LIMITS
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects

SOME_IDS = st.integers(-3, 6)
VALUES = {pa.int64(): st.integers(-(2**63), 2**63 - 1), pa.binary(): st.binary(max_size=3)}
MAP = {name: pa.list_(pa.struct([("key", pa.int32()), ("value", kind)])) for name, kind in MAPS.items()}
OBJECTS = Objects(fs.LocalFileSystem())
FILES, EACH = 11, 2
IDS = range(1, len(COLUMNS) + 1)
CHANGED: dict[str, Record | None] = {
    "added": None,
    "some deleted": {"status": 2},
    "some sequence numbers": {"sequence_number": 3, "snapshot_id": None},
}
"""What becomes of an entry of each third manifest."""


def saying(draft: Draft, name: str, value: Any) -> Draft:
    """With this value in the header of the first manifest."""
    change_header(draft.mirror.file(draft.manifest_of(0)), {name: json.dumps(value)})
    return draft


def header(draft: Draft, name: str) -> Any:
    return json.loads(header_of(draft.mirror.file(draft.manifest_of(0)))[name])


def with_a_variant(of_table: Record) -> Record:
    fields = [one | {"type": "variant"} if one["name"] == "int" else one for one in of_table["fields"]]
    return of_table | {"fields": fields}


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


# What a manifest says of itself: what is no fault of its header, and what strangers may write there.


def test_a_type_that_is_not_known_here_is_no_other(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    draft.change_metadata(lambda metadata: metadata.update(schemas=[*map(with_a_variant, metadata["schemas"])]))
    saying(draft, "schema", with_a_variant(header(draft, "schema")))
    assert headers_are_those_of_the_table.deviations(draft.case()) == []


def test_docs_and_blanks_make_no_other_schema() -> None:
    plain = {"id": 1, "name": "d", "required": False, "type": "decimal(9,2)"}
    assert columns_of([plain]) == columns_of([plain | {"doc": "money", "type": "decimal(9, 2)", "required": True}])


def test_a_whole_spec_is_as_good_as_its_fields(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    saying(draft, "partition-spec", {"spec-id": 1, "fields": header(draft, "partition-spec")})
    assert headers_are_those_of_the_table.deviations(draft.case()) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("partition-spec", [{"source-id": ["a"], "transform": {"b": 1}}]),
        ("partition-spec", [7]),
        ("partition-spec", None),
        ("schema", {"schema-id": {"a": 1}, "fields": [{"id": [1], "name": None, "type": []}]}),
        ("schema", {"fields": [7, "word"]}),
        ("schema", []),
    ],
)
def test_what_a_stranger_writes_there_is_judged(draft_of: DraftOf, name: str, value: Any) -> None:
    draft = saying(draft_of("typed"), name, value)
    assert headers_are_those_of_the_table.lacks(draft.case()) is None
    assert all(one.whole for one in headers_are_those_of_the_table.deviations(draft.case()))


# Metrics of manifests as columns, beside the slow way to the same: one entry after the other.


@given(data=st.data(), ids=st.lists(SOME_IDS, unique=True))
def test_each_field_has_the_value_that_its_entry_maps_it_to(data: st.DataObject, ids: list[int]) -> None:
    """Entries that have the same fields among them."""
    for name, kind in MAPS.items():
        pairs = st.lists(st.tuples(SOME_IDS, VALUES[kind]), max_size=4)
        entries: list[list[tuple[int, Any]] | None] = data.draw(st.lists(st.none() | pairs, max_size=5))
        entries *= data.draw(st.integers(1, 3)) if len(entries) == 1 else 1
        maps = [None if one is None else [{"key": key, "value": value} for key, value in one] for one in entries]
        found = by_field(pa.table({name: pa.array(maps, MAP[name])}), ids)
        for id in ids:
            assert found[column_of(name, id)].to_pylist() == [dict(one or ()).get(id) for one in entries]


def test_entries_without_maps_have_nulls() -> None:
    found = by_field(pa.table({"file_path": ["a", "b"]}), [1])
    assert found.column_names == [column_of(name, 1) for name in MAPS]
    assert all(values.null_count == 2 for values in found.columns)


UNSCALED = st.none() | st.binary(min_size=1, max_size=16)


@given(encoded=st.lists(UNSCALED, max_size=8), start=st.integers(0, 3))
def test_decimals_of_any_width_are_those_of_their_integers(encoded: list[bytes | None], start: int) -> None:
    """Padded ones too, and a part of an array."""
    values = pa.array(encoded, pa.binary()).slice(start)
    decoded = decode(values, types.DecimalType(38, 0))
    assert [_unscaled(decoded, place) for place in range(len(decoded))] == [
        one and int.from_bytes(one, "big", signed=True) for one in encoded[start:]
    ]


def _unscaled(decimals: pa.Array, place: int) -> int | None:
    """By the bytes: a stranger's may have more than 38 digits."""
    content: Any = decimals.buffers()[1]
    first = (decimals.offset + place) * 16
    return int.from_bytes(content[first : first + 16], "little", signed=True) if decimals[place].is_valid else None


NARROW_OR_WIDE = st.none() | st.binary(min_size=4, max_size=4) | st.binary(min_size=8, max_size=8)


@given(encoded=st.lists(NARROW_OR_WIDE, max_size=8), start=st.integers(0, 3))
def test_bounds_from_before_a_promotion_lie_beside_later_ones(encoded: list[bytes | None], start: int) -> None:
    decoded = decode(pa.array(encoded, pa.binary()).slice(start), types.LongType())
    assert decoded.to_pylist() == [one and int.from_bytes(one, "little", signed=True) for one in encoded[start:]]


# Small manifests that are read as one are what each is alone, and what is wrong with one is said of that one.


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
    each[:2] = [replace(each[0], blocks=(both[:end],)), replace(each[1], blocks=(both[end:],))]
    with pytest.raises(Exception, match=r"\w"):
        together(each)


def test_a_file_of_other_records_than_it_promises_is_noticed(listing: list[Record]) -> None:
    first, second, *_ = parts(listing)
    both = (first.blocks[0] + second.blocks[0],)
    counts = (first.records + second.records, 0)
    swapped = [
        InflatedPart(one.stored, one.schema, one.weight, records, blocks, one.sync)
        for one, records, blocks in zip((first, second), counts, ((), both), strict=True)
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
