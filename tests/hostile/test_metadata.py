"""A metadata.json, a manifest list or a manifest that a stranger wrote ends in one sentence, in bounded memory."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
import pytest

from tests.hostile.conftest import Hostile
from xtable_audit.formats.iceberg.avro import SCHEMA, read_header
from xtable_audit.formats.iceberg.claims.manifests import sequence_numbers_are_those_of_snapshots
from xtable_audit.model.limits import MIB, Limits
from xtable_audit.model.malformed import Malformed, TooLarge, Unread

LIMITS = Limits(metadata=MIB)
DEEP = 100_000


def deep_schema(content: dict[str, object]) -> None:
    kind: object = "int"
    for place in range(120):
        kind = {"type": "struct", "fields": [{"id": 100 + place, "name": "a", "required": False, "type": kind}]}
    content["schemas"][0]["fields"][0]["type"] = kind  # type: ignore[index]


def large_id(content: dict[str, object]) -> None:
    content["schemas"][0]["fields"][0]["id"] = 1 << 63  # type: ignore[index]


def nameless_partition(content: dict[str, object]) -> None:
    field = {"name": "", "transform": "identity", "source-id": 1, "field-id": 1000}
    content["partition-specs"] = [{"spec-id": 0, "fields": [field]}]


def transforms(transform: str) -> Callable[[dict[str, Any]], object]:
    field = {"name": "part", "transform": transform, "source-id": 1, "field-id": 1000}
    return lambda content: content.update({"partition-specs": [{"spec-id": 0, "fields": [field]}]})


def inline_manifests(content: dict[str, Any]) -> None:
    """As format version 1 allows."""
    snapshot = content["snapshots"][0]
    snapshot["manifests"] = [snapshot.pop("manifest-list")]
    content |= {
        "format-version": 1,
        "schema": content["schemas"][0],
        "partition-spec": content["partition-specs"][0]["fields"],
    }


LARGE: dict[str, tuple[Callable[[Hostile], object], str]] = {
    "spaces": (lambda table: table.metadata.write_bytes(b" " * 2 * MIB), "has 2,097,152 bytes, more than"),
    "a gzip bomb": (
        lambda table: table.metadata.write_bytes(gzip.compress(b" " * 2 * MIB)),
        "inflates to more bytes than it may have",
    ),
    "empty gzip members": (
        lambda table: table.metadata.write_bytes(gzip.compress(b"") * 50_000 + gzip.compress(b"{}")),
        "has more gzip members than it may have, more than the limit of 64",
    ),
    "nothing but values": (
        lambda table: table.metadata.write_bytes(b"[" + b"1," * 400_000 + b"1]"),
        "holds about 400,001 values",
    ),
}
BROKEN: dict[str, Callable[[Hostile], object]] = {
    "lists in lists": lambda table: table.metadata.write_bytes(b"[" * DEEP + b"]" * DEEP),
    "objects in objects": lambda table: table.metadata.write_bytes(b'{"a":' * DEEP + b"1" + b"}" * DEEP),
    "a schema of structs in structs": lambda table: table.change_metadata(deep_schema),
    "a field id of 64 bits": lambda table: table.change_metadata(large_id),
    "a partition field without a name": lambda table: table.change_metadata(nameless_partition),
    "a bucket of 10^20": lambda table: table.change_metadata(transforms(f"bucket[{10**20}]")),
    "a bucket of 0": lambda table: table.change_metadata(transforms("bucket[0]")),
    "a width of 10^20": lambda table: table.change_metadata(transforms(f"truncate[{10**20}]")),
    "a number that is none": lambda table: table.metadata.write_text(
        table.metadata.read_text().replace("{", '{"a": NaN,', 1)
    ),
    "a number of a million digits": lambda table: table.metadata.write_bytes(b'{"a": ' + b"9" * MIB + b"}"),
    "half a gzip stream": lambda table: table.metadata.write_bytes(gzip.compress(table.metadata.read_bytes())[:-200]),
    "schemas that are no list": lambda table: table.change_metadata(lambda content: content.update(schemas={"a": 1})),
    "snapshots that are numbers": lambda table: table.change_metadata(lambda content: content.update(snapshots=[1])),
}


@pytest.mark.parametrize(("spoil", "words"), LARGE.values(), ids=LARGE)
def test_a_large_metadata_json_is_refused(hostile: Hostile, spoil: Callable[[Hostile], object], words: str) -> None:
    spoil(hostile)
    with pytest.raises(TooLarge, match="raise it with --max-metadata") as refused:
        hostile.case(limits=LIMITS)
    assert words in str(refused.value)


@pytest.mark.parametrize("spoil", BROKEN.values(), ids=BROKEN)
def test_a_broken_metadata_json_is_one_sentence(hostile: Hostile, spoil: Callable[[Hostile], object]) -> None:
    spoil(hostile)
    with pytest.raises(Malformed, match="is not Iceberg table metadata") as refused:
        hostile.case()
    assert len(str(refused.value)) < 900
    assert "\n" not in str(refused.value)


def test_manifests_in_metadata_json_itself_are_not_read_and_nothing_is_said_against_them(hostile: Hostile) -> None:
    hostile.change_metadata(inline_manifests)
    with pytest.raises(Unread, match=r"lists the manifests of snapshot \d+ in itself, a form of format version 1 that"):
        hostile.case()


def test_a_gzipped_metadata_json_is_read(hostile: Hostile) -> None:
    hostile.metadata.write_bytes(gzip.compress(hostile.metadata.read_bytes()))
    assert hostile.case().stored.files.num_rows == 1


def test_a_gzipped_metadata_json_of_several_members_is_read(hostile: Hostile) -> None:
    content = hostile.metadata.read_bytes()
    pieces = (content[at : at + 99] for at in range(0, len(content), 99))
    hostile.metadata.write_bytes(b"".join(map(gzip.compress, pieces)))
    assert hostile.case().stored.files.num_rows == 1


@pytest.mark.parametrize("length", [-1, 0, 1 << 62])
def test_a_manifest_of_an_absurd_length_is_read(hostile: Hostile, length: int) -> None:
    hostile.change_manifests(lambda manifests: manifests[0].update(manifest_length=length))
    assert hostile.case().stored.files.num_rows == 1


def test_a_manifest_that_is_listed_20_000_times_is_refused_at_once(hostile: Hostile) -> None:
    listing = hostile.manifest_list
    hostile.change_manifests(lambda manifests: manifests.extend(manifests * 20_000))
    with pytest.raises(Malformed, match=r"lists the manifest .* 20,001 times") as refused:
        hostile.case()
    assert refused.value.location.endswith(str(listing))


def test_a_manifest_of_neither_data_nor_deletes_is_refused(hostile: Hostile) -> None:
    hostile.change_manifests(lambda manifests: manifests[0].update(content=127))
    with pytest.raises(Malformed, match="lists a manifest of content 127, neither of data files nor of deletes"):
        hostile.case()


def test_a_manifest_list_that_names_no_snapshot_is_judged(hostile: Hostile) -> None:
    content = hostile.manifest_list.read_bytes()
    assert b"added_snapshot_id" in content
    hostile.manifest_list.write_bytes(content.replace(b"added_snapshot_id", b"added_snapshot_ix"))
    case = hostile.case()
    assert list(sequence_numbers_are_those_of_snapshots.deviations(case)) == []


def test_a_file_of_unknown_content_is_refused(hostile: Hostile) -> None:
    hostile.change_entries(lambda entries: entries[0]["data_file"].update(content=7))
    with pytest.raises(Malformed, match="holds a file of content 7"):
        hostile.case()


def test_a_manifest_list_that_lists_itself_is_refused(hostile: Hostile) -> None:
    hostile.names_manifest(f"file://{hostile.manifest_list}")
    with pytest.raises(Malformed, match="is not an Iceberg manifest"):
        hostile.case()


def test_a_manifest_that_lists_itself_as_a_data_file_is_refused(hostile: Hostile) -> None:
    hostile.names_file(f"file://{hostile.manifest}")
    with pytest.raises(Malformed, match="is not the Parquet file the metadata describes"):
        hostile.case()


def test_a_name_of_a_megabyte_makes_no_long_message(hostile: Hostile) -> None:
    hostile.names_file("s3://other/" + "a" * MIB)
    with pytest.raises(Malformed, match="outside") as refused:
        hostile.case()
    assert len(str(refused.value)) < 900


def test_metadata_that_is_hostile_is_still_json(hostile: Hostile) -> None:
    """The helper changes what it says it changes."""
    hostile.change_metadata(deep_schema)
    assert json.loads(hostile.metadata.read_text())["schemas"][0]["fields"][0]["type"]["type"] == "struct"


@pytest.mark.parametrize(
    ("of", "name", "words"),
    [
        ("manifest_list", "contains_null", "gives the field contains_null the id 999, and readers look for 509"),
        ("manifest", "file_path", "gives the field file_path the id 999, and readers look for 100"),
    ],
)
def test_a_field_under_another_id_is_one_sentence(hostile: Hostile, of: str, name: str, words: str) -> None:
    """PyIceberg refuses the table: it finds fields by their ids (0.12, tried)."""
    file: Path = getattr(hostile, of)
    content = file.read_bytes()
    header = read_header(content)
    schema = json.loads(header.metadata[SCHEMA])
    renumber(schema, name)
    with file.open("rb") as stream:
        records = list(fastavro.reader(stream))
    kept = {key.decode(): value.decode() for key, value in header.metadata.items() if not key.startswith(b"avro.")}
    with file.open("wb") as stream:
        fastavro.writer(stream, schema, records, metadata=kept)
    with pytest.raises(Malformed) as refused:
        hostile.case()
    assert words in str(refused.value)


def renumber(schema: Any, name: str) -> None:
    if isinstance(schema, list):
        for one in schema:
            renumber(one, name)
    elif isinstance(schema, dict):
        if schema.get("name") == name and "field-id" in schema:
            schema["field-id"] = 999
        for one in schema.values():
            renumber(one, name)
