"""`xtable-audit check` of tables on S3: what it asks of the store, and keys with `//`, which are keys of their own."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyarrow import fs

from lab.store import objects
from lab.store.running import RunningStore
from tests.lab.store.conftest import moto_store
from tests.tables.draft import read_records, write_records
from tests.tables.lake import Lake, orders
from tests.xtable_audit.cli.conftest import Command, Ran, command, lake
from xtable.replay import Recording, newest_recording
from xtable_audit.access.access import Access
from xtable_audit.access.read_only import Ranges
from xtable_audit.access.s3 import S3
from xtable_audit.check.cost import REQUESTS
from xtable_audit.locate.stores import Stores
from xtable_audit.model.malformed import Unread
from xtable_audit.model.problem import Unreachable

Seen = Counter[str]
"""Requests by what they are for: `HEAD of data`, `GET of data`, `GET of metadata`, …"""
FILES = 4
__all__ = ["command", "lake", "moto_store"]
BUCKET, ROOT = "slashed", "s3://slashed/orders/"
KEYS = ("somebody", "secret")


@pytest.fixture
def check(
    moto_store: RunningStore, command: Command, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Ran, Seen]]:
    """Checks a table that XTable wrote, and counts the requests."""
    store, log = moto_store.store, moto_store.log
    assert log is not None
    folder = store.uri(Recording.open(newest_recording()).upload("good_layout", store))
    for name, value in store.environment().items():
        monkeypatch.setenv(name, value)

    def check(*options: object) -> tuple[Ran, Seen]:
        with log.windows() as cut:
            requests = cut()
            ran = command("check", folder, *options)
        return ran, Counter(f"{one.method} of {_what(one.key)}" for one in requests)

    return check


def _what(key: str) -> str:
    return "data" if key.endswith(".parquet") else "metadata"


@pytest.fixture
def store(moto_store: RunningStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    theirs = replace(moto_store.store, bucket=BUCKET)
    objects.client(theirs).create_bucket(Bucket=BUCKET)
    for name, value in theirs.environment().items():
        monkeypatch.setenv(name, value)
    yield theirs
    for key in [one["Key"] for one in objects.client(theirs).list_objects_v2(Bucket=BUCKET).get("Contents", ())]:
        objects.remove(theirs, key)
    objects.client(theirs).delete_bucket(Bucket=BUCKET)


@pytest.fixture
def table(store: Any, lake: Lake) -> Any:
    """`orders`, moved to ROOT with all addresses in its metadata."""
    lake.table("orders", orders(0), orders(1))
    root = lake.root("orders")
    _move(root, f"file://{root}", ROOT)
    for file in root.rglob("*.*"):
        objects.write(store, f"orders//{file.relative_to(root)}", file.read_bytes())
    return store


def _move(root: Path, before: str, after: str) -> None:
    lists = sorted((root / "metadata").glob("snap-*.avro"))
    manifests = [file for file in (root / "metadata").glob("*.avro") if file not in lists]
    for file in [*manifests, *lists]:
        records = [_moved(record, before, after) for record in read_records(file)]
        for listed in records if file in lists else ():
            listed["manifest_length"] = (root / "metadata" / listed["manifest_path"].rpartition("/")[2]).stat().st_size
        write_records(file, records)
    for file in (root / "metadata").glob("*.json"):
        file.write_text(file.read_text().replace(before, after))


def _moved(value: Any, before: str, after: str) -> Any:
    if isinstance(value, dict):
        return {name: _moved(inner, before, after) for name, inner in value.items()}
    if isinstance(value, list):
        return [_moved(inner, before, after) for inner in value]
    return value.replace(before, after) if isinstance(value, str) else value


def _file(store: Any) -> str:
    return next(key for key in objects.list_objects(store, "orders") if key.endswith(".parquet"))


# What a check of a table on S3 asks of the store: the estimate is right, and a second run fetches no data.


def test_nothing_is_asked_of_the_store_but_to_be_read(check: Callable[..., tuple[Ran, Seen]]) -> None:
    ran, seen = check()
    assert (ran.status, {name.partition(" ")[0] for name in seen}) == (0, {"GET", "HEAD"}), ran.out


def test_metadata_alone_asks_nothing_of_data_files(check: Callable[..., tuple[Ran, Seen]]) -> None:
    _, seen = check("--metadata-only")
    assert [name for name in seen if name.endswith("of data")] == []


def test_a_second_run_looks_data_files_up_and_fetches_none(check: Callable[..., tuple[Ran, Seen]]) -> None:
    check()
    ran, seen = check()
    assert (ran.status, seen["HEAD of data"], seen["GET of data"]) == (0, FILES, 0), seen


def test_the_requests_of_each_file_are_as_estimated(check: Callable[..., tuple[Ran, Seen]]) -> None:
    _, seen = check("--no-cache")
    assert seen["HEAD of data"] + seen["GET of data"] == pytest.approx(FILES * REQUESTS, rel=0.5), seen


# A table whose location ends in a slash has keys with `//`, which are other keys than those with `/`.


def test_a_table_is_judged_by_its_folder(table: Any, command: Command) -> None:
    ran = command("check", ROOT)
    assert ran.status == 0, ran.out + ran.err
    assert "NO WRONG RESULTS FOUND" in ran.out or "NOTHING FOUND" in ran.out, ran.out


def test_a_file_at_the_key_with_one_slash_is_not_the_tables(table: Any, command: Command) -> None:
    key = _file(table)
    objects.write(table, key.replace("//", "/"), objects.read(table, key))
    objects.remove(table, key)
    ran = command("check", ROOT)
    assert (ran.status, "no object at" in ran.out, "data files are missing" in ran.out) == (1, True, True), ran.out


@pytest.fixture(params=["by the environment", "by a catalog's properties"])
def stores(request: pytest.FixtureRequest, table: Any) -> Stores:
    if request.param == "by the environment":
        return Stores(Access(S3(table.endpoint, *KEYS), guarded=True))
    told = {"s3.endpoint": table.endpoint, "s3.access-key-id": KEYS[0], "s3.secret-access-key": KEYS[1]}
    return Stores(properties=told)


def test_an_object_is_read_at_any_place(table: Any, stores: Stores) -> None:
    key = _file(table)
    content, uri = objects.read(table, key), f"s3://{BUCKET}/{key}"
    with stores.objects(uri).open(uri) as source:
        assert (source.size(), source.read()) == (len(content), content)
        assert source.read_at(4, len(content) - 4) == content[-4:]


def test_what_is_not_there_has_no_size(table: Any, stores: Stores) -> None:
    uri = f"{ROOT}/data/none.parquet"
    assert (stores.objects(uri).size(uri), stores.objects(uri).infos([uri])) == (None, [None])


def test_a_folder_is_listed_without_the_folders_in_it(table: Any, stores: Stores) -> None:
    selector = fs.FileSelector(f"{BUCKET}/orders//metadata")
    infos = stores.objects(ROOT).filesystem.get_file_info(selector)
    assert {info.type for info in infos} == {fs.FileType.File}
    assert {info.path for info in infos} == {
        f"{BUCKET}/{key}" for key in objects.list_objects(table, "orders") if "/metadata/" in key
    }


@pytest.mark.parametrize("sent", [9, 11], ids=["less", "more"])
def test_an_answer_of_another_length_is_the_stores_error(sent: int) -> None:
    client = SimpleNamespace(get_object=lambda **_: {"Body": io.BytesIO(bytes(sent))})
    with pytest.raises(OSError, match=f"AWS Error: {sent} bytes are the answer to a request for 10"):
        Ranges(client, "bucket/a//b", 10).readinto(bytearray(10))


def test_a_store_that_is_not_there_is_the_stores_error() -> None:
    nowhere = Stores(Access(S3("http://127.0.0.1:9", *KEYS)))
    with pytest.raises((Unreachable, Unread)):
        nowhere.objects(ROOT).size(f"{ROOT}/data/a.parquet")
