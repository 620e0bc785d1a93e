"""The place of a table, and whether it names addresses of another place, in every format that Hudi and Delta write."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_jobs.addresses import Strayed, demand_own_addresses, elsewhere
from spark_jobs.place import demand_empty_folder, store_message
from xtable_audit.model.problem import Problem

OWN = "s3://lake/tables/trips"
ELSEWHERE = "s3://other/tables/trips/part=a/1.parquet"
DELETED = {
    "type": "record",
    "name": "Deleted",
    "fields": [{"name": "files", "type": {"type": "array", "items": "string"}}],
}


def as_json(address: str) -> bytes:
    return json.dumps({"partitionToWriteStats": {"part=a": [{"path": address}]}}, indent=2).encode()


def as_json_a_line(address: str) -> bytes:
    return b'{"commitInfo":{}}\n' + json.dumps({"add": {"path": address}}).encode()


def as_json_in_json(address: str) -> bytes:
    return json.dumps({"extraMetadata": json.dumps({"table": address})}).encode()


def as_avro(address: str) -> bytes:
    written = io.BytesIO()
    fastavro.writer(written, DELETED, [{"files": [address]}])
    return written.getvalue()


def as_deflated_avro(address: str) -> bytes:
    written = io.BytesIO()
    fastavro.writer(written, DELETED, [{"files": [address] * 9}], codec="deflate")
    return written.getvalue()


def as_hfile(address: str) -> bytes:
    """A log of the metadata table, as far as it matters here: bytes, and blocks that are zipped."""
    return b"#HUDI#\x00\x00\x01" + gzip.compress(b"\x00\x05" + address.encode() + b"\x00") + b"\x00\x1f\x8b\x08"


def as_properties(address: str) -> bytes:
    return f"#Properties\nhoodie.table.base.path={address}\n".encode()


def as_checkpoint(address: str) -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table({"add": [{"path": address}]}), written)
    return written.getvalue()


def as_archive(address: str) -> bytes:
    """Hudi 1.x: a Parquet file with an instant's Avro in a column."""
    written = io.BytesIO()
    pq.write_table(pa.table({"metadata": pa.array([as_avro(address)], pa.binary())}), written)
    return written.getvalue()


FORMATS: dict[str, Callable[[str], bytes]] = {
    ".hoodie/1.commit": as_json,
    "_delta_log/0.json": as_json_a_line,
    ".hoodie/2.commit": as_json_in_json,
    ".hoodie/3.rollback": as_avro,
    ".hoodie/4.restore": as_deflated_avro,
    ".hoodie/metadata/files/.files-0000-0_1.log.1_0-0-0": as_hfile,
    ".hoodie/hoodie.properties": as_properties,
    "_delta_log/10.checkpoint.parquet": as_checkpoint,
    ".hoodie/timeline/history/1.parquet": as_archive,
}

formats = pytest.mark.parametrize("name", FORMATS)

with_ends = pytest.mark.parametrize("name", [name for name, write in FORMATS.items() if write is not as_hfile])
"""Formats that say where a text begins and ends."""


def put(tree: Path, name: str, address: str) -> Path:
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(FORMATS[name](address))
    return tree


# Whether a table names addresses of another place, in every format that Hudi and Delta write.


@formats
def test_an_address_of_another_place_is_found(tmp_path: Path, name: str) -> None:
    with pytest.raises(Strayed, match=f"{name} names {ELSEWHERE}, which is not below {OWN}"):
        demand_own_addresses(put(tmp_path, name, ELSEWHERE), OWN)


@formats
def test_the_tables_own_address_is_none(tmp_path: Path, name: str) -> None:
    assert demand_own_addresses(put(tmp_path, name, f"{OWN}/part=a/1.parquet"), OWN) == 1


@with_ends
def test_a_path_of_some_disk_is_found(tmp_path: Path, name: str) -> None:
    with pytest.raises(Strayed, match=r"names /home/me/trips/part=a/1\.parquet"):
        demand_own_addresses(put(tmp_path, name, "/home/me/trips/part=a/1.parquet"), OWN)


@with_ends
def test_an_address_without_its_scheme_is_the_tables_own(tmp_path: Path, name: str) -> None:
    """Hudi's rollbacks and restores leave the scheme out."""
    assert demand_own_addresses(put(tmp_path, name, "//lake/tables/trips/part=a/1.parquet"), OWN) == 1


@formats
def test_the_other_table_in_its_folder_is_the_tables_own(tmp_path: Path, name: str) -> None:
    address = elsewhere(OWN)
    assert not address.startswith(OWN)
    assert demand_own_addresses(put(tmp_path, name, f"{address}/1.parquet"), OWN) == 1


@formats
def test_a_path_below_the_table_is_no_address(tmp_path: Path, name: str) -> None:
    assert demand_own_addresses(put(tmp_path, name, "part=a/1.parquet"), OWN) == 1


@formats
def test_another_table_whose_name_begins_alike_is_another_place(tmp_path: Path, name: str) -> None:
    with pytest.raises(Strayed, match=r"names s3://lake/tables/trips_2/1\.parquet"):
        demand_own_addresses(put(tmp_path, name, "s3://lake/tables/trips_2/1.parquet"), OWN)


def test_base64_in_an_hfile_is_no_address(tmp_path: Path) -> None:
    put(tmp_path, ".hoodie/metadata/files/.files-0000-0_1.log.1_0-0-0", "/FgK3DCT37E=844Sz/VvJ5A=")
    assert demand_own_addresses(tmp_path, OWN) == 1


def test_a_tree_without_metadata_of_its_source_does_not_pass(tmp_path: Path) -> None:
    (tmp_path / "1.parquet").write_bytes(b"")
    with pytest.raises(Strayed, match=r"has neither of \.hoodie and _delta_log: nothing shows where it was written"):
        demand_own_addresses(tmp_path, OWN)


# The place of a table, and the store's words where there is none.


def test_a_folder_is_made(tmp_path: Path) -> None:
    demand_empty_folder((tmp_path / "a b" / "c").as_uri())
    assert (tmp_path / "a b" / "c").is_dir()


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(Problem, match="is not empty: name an empty place"):
        demand_empty_folder(tmp_path.as_uri())


def test_a_file_in_the_way_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(Problem, match="cannot be used: Not a directory"):
        demand_empty_folder((tmp_path / "x" / "y").as_uri())


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            (
                "getFileStatus on s3://b/x: com.amazonaws.services.s3.model.AmazonS3Exception: The specified "
                "bucket does not exist (Service: Amazon S3; Status Code: 404; Proxy: null), S3 Extended …"
            ),
            "The specified bucket does not exist",
        ),
        (
            (
                "on s3://b/x: com.amazonaws.SdkClientException: Unable to execute HTTP request: Connect to [h] failed: "
                "Connection refused: Unable to execute HTTP request: Connect to [h] failed: Connection refused"
            ),
            "Unable to execute HTTP request: Connect to [h] failed: Connection refused",
        ),
        ("Permission denied.\nmore", "Permission denied"),
    ],
)
def test_of_hadoops_message_the_stores_own_is_reported(message: str, words: str) -> None:
    assert store_message(message) == words
