"""Access reads any bucket and any path, by whatever credential, and never writes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyarrow import fs

from lab.store import objects
from lab.store import open as remote
from lab.store.running import RunningStore
from lab.store.tables import InStore
from tests.lab.store.conftest import moto_store
from tests.xtable_audit.access.refusing import Refusing, refusing
from xtable.replay import Recording, newest_recording
from xtable.target import read_target
from xtable_audit.access.access import Access
from xtable_audit.access.s3 import S3
from xtable_audit.model.problem import Problem
from xtable_audit.subject.case import Source, read_case

__all__ = ["moto_store"]

KEYS = ("somebody", "secret")
OTHER = "somebody-elses-lake"


@pytest.fixture
def lake(moto_store: RunningStore) -> Iterator[Refusing]:
    """Three files below two folders in a bucket that is not the suite's, at a server that refuses every write."""
    store = moto_store.store
    objects.client(store).create_bucket(Bucket=OTHER)
    theirs = replace(store, bucket=OTHER)
    for key in ("t/a", "t/deeper/b", "u/c"):
        objects.write(theirs, key, key.encode())
    assert store.endpoint
    with refusing(store.endpoint) as seen:
        yield seen
    for folder in ("t", "u"):
        objects.delete(theirs, folder)
    objects.client(store).delete_bucket(Bucket=OTHER)


@pytest.fixture
def disk(tmp_path: Path) -> str:
    for key in ("t/a", "t/deeper/b", "u/c"):
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_text(key)
    return str(tmp_path)


@pytest.fixture(params=["s3", "s3a", "file", "path"])
def place(request: pytest.FixtureRequest) -> tuple[Access, str]:
    """Read access, and the address of the folder that holds `t` and `u`."""
    if request.param in ("s3", "s3a"):
        seen: Refusing = request.getfixturevalue("lake")
        return Access(S3(seen.endpoint, *KEYS)), f"{request.param}://{OTHER}"
    folder: str = request.getfixturevalue("disk")
    return Access(), f"file://{folder}" if request.param == "file" else folder


def test_a_file_is_read_whole(place: tuple[Access, str]) -> None:
    reader, folder = place
    assert reader.read(f"{folder}/t/a") == b"t/a"


def test_a_files_size_is_in_bytes(place: tuple[Access, str]) -> None:
    reader, folder = place
    assert reader.size(f"{folder}/t/deeper/b") == len("t/deeper/b")


def test_a_folder_is_listed_with_all_below_it_under_its_own_address(place: tuple[Access, str]) -> None:
    reader, folder = place
    assert reader.list(f"{folder}/t/") == {f"{folder}/t/a": 3, f"{folder}/t/deeper/b": 10}


def test_a_folder_that_is_not_there_is_empty(place: tuple[Access, str]) -> None:
    reader, folder = place
    assert reader.list(f"{folder}/nothing") == {}


def test_a_missing_file_differs_from_an_existing_one(place: tuple[Access, str]) -> None:
    reader, folder = place
    assert (reader.exists(f"{folder}/t/a"), reader.exists(f"{folder}/t/x")) == (True, False)


def test_reading_a_file_that_is_not_there_raises(place: tuple[Access, str]) -> None:
    reader, folder = place
    with pytest.raises(FileNotFoundError):
        reader.read(f"{folder}/t/x")


@pytest.mark.parametrize("address", ["gs://b/k", "abfss://c@a/k"])
def test_another_kind_of_store_is_refused_by_name(address: str) -> None:
    with pytest.raises(ValueError, match="is neither an s3:// address nor a local path"):
        Access().read(address)


WRITES: dict[str, Callable[[fs.FileSystem, str], object]] = {
    "creating a folder": lambda filesystem, path: filesystem.create_dir(path),
    "deleting a folder": lambda filesystem, path: filesystem.delete_dir(path),
    "emptying a folder": lambda filesystem, path: filesystem.delete_dir_contents(path),
    "deleting a file": lambda filesystem, path: filesystem.delete_file(path),
    "moving a file": lambda filesystem, path: filesystem.move(path, f"{path}-moved"),
    "copying a file": lambda filesystem, path: filesystem.copy_file(path, f"{path}-copy"),
    "writing a file": lambda filesystem, path: filesystem.open_output_stream(path),
    "appending to a file": lambda filesystem, path: filesystem.open_append_stream(path),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_what_writes_is_refused_before_any_request(
    lake: Refusing, write: Callable[[fs.FileSystem, str], object]
) -> None:
    filesystem = Access(S3(lake.endpoint, *KEYS)).objects(f"s3://{OTHER}/t").filesystem
    with pytest.raises(PermissionError, match="is only read, never written"):
        write(filesystem, f"{OTHER}/t/a")
    assert (lake.reads, lake.writes) == (0, [])


def test_a_table_is_judged_without_a_write(moto_store: RunningStore) -> None:
    folder = moto_store.store.uri(Recording.open(newest_recording()).upload("good_layout", moto_store.store))
    target = read_target(folder, InStore(moto_store.store))
    assert target
    assert moto_store.store.endpoint
    with refusing(moto_store.store.endpoint) as seen:
        files = Access(S3(seen.endpoint, *KEYS)).objects(folder)
        case = read_case(files, "good_layout", target.metadata_location, Source((), (), {}))
    assert case.stored.files.num_rows == 4
    assert seen.reads > 4
    assert seen.writes == []


def test_a_write_by_anything_else_is_noted_there(lake: Refusing, moto_store: RunningStore) -> None:
    theirs = replace(moto_store.store, endpoint=lake.endpoint, bucket=OTHER)
    with pytest.raises(
        Problem, match=f"may not write in bucket {OTHER} at {lake.endpoint}: allow it to put and delete"
    ):
        objects.write(theirs, "t/new", b"")
    assert lake.writes == [f"PUT /{OTHER}/t/new"]


def test_a_remote_workspace_is_checked_without_a_write(lake: Refusing, by_keys: None) -> None:
    remote.connect(lake.endpoint, OTHER)
    assert (lake.reads, lake.writes) == (1, [])


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda store, folder: objects.upload(store, "t", folder), id="an upload"),
        pytest.param(lambda store, _: objects.remove(store, "t/a"), id="the deletion of an object"),
        pytest.param(lambda store, _: objects.delete(store, "t"), id="the deletion of a folder"),
    ],
)
def test_a_workspace_that_may_not_be_written_is_one_sentence_at_its_first_write(
    lake: Refusing, by_keys: None, disk: str, write: Callable[..., object]
) -> None:
    store = remote.connect(lake.endpoint, OTHER).store
    with pytest.raises(Problem, match="the credential may not write in bucket") as caught:
        write(store, Path(disk) / "t")
    assert "\n" not in str(caught.value)


@pytest.fixture
def no_chain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nothing of this machine's own: the config file of the chain, which is not there yet."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE", "ENDPOINT_URL", "ENDPOINT_URL_S3"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    config = tmp_path / "aws-config"
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "aws-credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)  # which remembers another config file
    return config


@pytest.fixture
def by_keys(no_chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "by-environment")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")


@pytest.fixture
def by_profile(no_chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_chain.write_text("[profile mine]\naws_access_key_id = by-profile\naws_secret_access_key = secret\n")
    monkeypatch.setenv("AWS_PROFILE", "mine")


@pytest.fixture
def by_process(no_chain: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Temporary credentials, as an assumed role has them."""
    found = {"Version": 1, "AccessKeyId": "by-process", "SecretAccessKey": "secret", "SessionToken": "token"}
    program = tmp_path / "program.py"
    program.write_text(f"print({json.dumps(json.dumps(found))})")
    no_chain.write_text(f"[profile mine]\ncredential_process = {sys.executable} {program}\n")
    monkeypatch.setenv("AWS_PROFILE", "mine")


WAYS = ("by_keys", "by_profile", "by_process")


@pytest.mark.parametrize("way", WAYS)
def test_access_takes_what_the_chain_finds(
    lake: Refusing, way: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    request.getfixturevalue(way)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", lake.endpoint)
    assert Access().read(f"s3://{OTHER}/t/a") == b"t/a"
    assert lake.keys == {way.replace("_", "-").replace("by-keys", "by-environment")}


@pytest.mark.parametrize("way", WAYS)
def test_a_workspace_takes_what_the_chain_finds(lake: Refusing, way: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(way)
    token = remote.connect(lake.endpoint, OTHER).store.session_token
    assert lake.keys == {way.replace("_", "-").replace("by-keys", "by-environment")}
    assert token == ("token" if way == "by_process" else None)


def test_an_access_key_of_nobody_reads_what_is_public(lake: Refusing, moto_store: RunningStore) -> None:
    objects.client(moto_store.store).put_object_acl(Bucket=OTHER, Key="t/a", ACL="public-read")
    assert Access(S3(lake.endpoint, "", "")).read(f"s3://{OTHER}/t/a") == b"t/a"
    assert lake.keys == {""}


def test_a_chain_without_credential_is_one_sentence(no_chain: Path) -> None:
    with pytest.raises(Problem, match="S3 needs a credential: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or"):
        Access().read("s3://b/k")


def test_a_profile_that_is_not_there_is_one_sentence(no_chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobodys")
    with pytest.raises(Problem, match="the AWS credential cannot be used: The config profile"):
        Access().read("s3://b/k")


def test_a_local_path_needs_no_credential(no_chain: Path, disk: str) -> None:
    assert Access().read(f"{disk}/t/a") == b"t/a"
