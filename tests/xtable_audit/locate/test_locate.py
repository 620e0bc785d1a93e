"""A table is found by its metadata.json, its folder, or its name in a catalog, and nothing is written on the way."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from lab.store import objects
from lab.store.running import RunningStore
from tests.lab.store.conftest import moto_store
from tests.tables.lake import Lake, orders
from tests.xtable_audit.access.refusing import refusing
from xtable_audit.access.access import Access
from xtable_audit.access.s3 import S3
from xtable_audit.locate.locate import locate, name_of
from xtable_audit.locate.stores import AzureObjects, Stores
from xtable_audit.model.problem import Problem
from xtable_audit.report.document import Document

__all__ = ["moto_store"]


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    made = Lake.at(tmp_path)
    made.table("orders", orders(0), orders(1))
    yield made
    made.catalog.close()


@pytest.fixture
def metadata(lake: Lake) -> Path:
    return lake.root("orders") / "metadata"


def versions(metadata: Path) -> list[str]:
    return sorted(file.name for file in metadata.glob("*.metadata.json"))


def test_a_metadata_json_is_taken_as_it_is(metadata: Path) -> None:
    oldest = versions(metadata)[0]
    assert locate(f"file://{metadata}/{oldest}").metadata_location == f"file://{metadata}/{oldest}"


def test_a_relative_path_is_that_below_the_current_folder(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lake.folder / "shop")
    found = locate("orders")
    assert (found.name, found.metadata_location.startswith(str(lake.folder))) == ("orders", True)


def test_of_a_folder_without_hint_the_newest_is_taken_with_a_warning(lake: Lake, metadata: Path) -> None:
    found = locate(str(lake.root("orders")))
    assert found.metadata_location == f"{metadata}/{versions(metadata)[-1]}"
    assert "a catalog may know another" in found.notes[0]


def test_of_a_folder_with_a_hint_the_hinted_is_taken(lake: Lake, metadata: Path) -> None:
    for number, name in enumerate(versions(metadata)):
        (metadata / name).rename(metadata / f"v{number}.metadata.json")
    (metadata / "version-hint.text").write_text("1\n")
    found = locate(str(lake.root("orders")))
    assert found.metadata_location == f"{metadata}/v1.metadata.json"
    assert found.notes == ("version-hint.text names v1.metadata.json, and v2.metadata.json is newer",)


def test_a_hint_of_what_is_not_there_is_said(lake: Lake, metadata: Path) -> None:
    (metadata / "version-hint.text").write_text("77")
    found = locate(str(lake.root("orders")))
    assert found.metadata_location == f"{metadata}/{versions(metadata)[-1]}"
    assert "names version '77', which is not there" in found.notes[0]


def test_the_tenth_version_is_newer_than_the_ninth(lake: Lake, metadata: Path) -> None:
    first = versions(metadata)[0]
    for number in (9, 10):
        (metadata / f"v{number}.metadata.json").write_bytes((metadata / first).read_bytes())
    assert locate(str(lake.root("orders"))).metadata_location.endswith("/v10.metadata.json")


@pytest.mark.parametrize("name", ["v9.gz.metadata.json", "v9.metadata.json.gz"])
def test_a_compressed_metadata_json_is_read(lake: Lake, metadata: Path, name: str) -> None:
    newest = metadata / versions(metadata)[-1]
    (metadata / name).write_bytes(gzip.compress(newest.read_bytes()))
    found = checked(lake, lake.root("orders"))
    assert (found.verdict, Path(str(found.own_table and found.own_table.metadata_location)).name) == (
        "CONFORMANT",
        name,
    )


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("s3://lake/orders/metadata/v1.metadata.json", "orders"),
        ("s3://lake/orders/metadata/v1.metadata.json.gz", "orders"),
        ("/lake/orders/", "orders"),
        ("/lake/orders/metadata", "orders"),
        ("prod.shop.orders", "prod.shop.orders"),
    ],
)
def test_a_table_is_called_as_its_folder(address: str, name: str) -> None:
    assert name_of(address) == name


def test_an_address_in_azure_becomes_container_and_key() -> None:
    objects = AzureObjects(Access().objects("/").filesystem)
    assert objects.path("abfss://lake@account.dfs.core.windows.net/orders/a") == "lake/orders/a"


TOLD = {"gcs.oauth2.token": "t", "gcs.oauth2.token-expires-at": "4102444800000", "adls.account-key": "a2V5"}


@pytest.mark.parametrize("address", ["gs://lake/orders", "abfss://lake@account.dfs.core.windows.net/orders"])
def test_other_stores_are_opened_to_be_read_alone(address: str) -> None:
    store = Stores(properties=TOLD).objects(address).filesystem
    with pytest.raises(PermissionError, match="is only read, never written"):
        store.delete_file("lake/orders/a")


# a catalog


def in_catalog(lake: Lake, *words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own: PyIceberg reads its configuration once."""
    path = {"PYTHONPATH": str(ROOT), "XTABLE_AUDIT_CACHE": str(lake.folder / "cache"), "HOME": str(lake.folder)}
    command = [sys.executable, "-m", "xtable_audit", *words]
    env = {**os.environ, **path, **environment}
    return subprocess.run(command, cwd=lake.folder, env=env, capture_output=True, text=True, timeout=120, check=False)


def checked(lake: Lake, table: str | Path, **environment: str) -> Document:
    return Document.from_json(in_catalog(lake, "check", table, "--json", **environment).stdout)


def of_lake(lake: Lake) -> dict[str, str]:
    return {"PYICEBERG_CATALOG__LAKE__URI": f"sqlite:///{lake.folder}/catalog.db"}


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_table_is_found_by_its_catalog_which_is_not_written(lake: Lake) -> None:
    before = digest(lake.folder / "catalog.db")
    own = checked(lake, "lake.shop.orders", **of_lake(lake)).own_table
    assert own is not None
    assert (own.name, own.files, digest(lake.folder / "catalog.db")) == ("shop.orders", 2, before)


def test_a_catalog_that_is_empty_stays_so(lake: Lake) -> None:
    """PyIceberg's SQL catalog makes its own tables where they are missing, unless it is configured not to."""
    (lake.folder / "empty.db").touch()
    ran = in_catalog(
        lake, "check", "empty.shop.orders", PYICEBERG_CATALOG__EMPTY__URI=f"sqlite:///{lake.folder}/empty.db"
    )
    assert (ran.returncode in (4, 6), (lake.folder / "empty.db").stat().st_size) == (True, 0), ran.stderr


def test_a_table_that_the_catalog_lacks_is_a_sentence(lake: Lake) -> None:
    ran = in_catalog(lake, "check", "lake.shop.gone", **of_lake(lake))
    assert (ran.returncode, ran.stderr) == (4, "the catalog lake has no table shop.gone\n")


# S3


def test_a_table_on_s3_is_found_by_its_folder_without_a_write(moto_store: RunningStore, lake: Lake) -> None:
    theirs = replace(moto_store.store, bucket="theirs")
    objects.client(theirs).create_bucket(Bucket="theirs")
    for file in lake.root("orders").rglob("*.json"):
        objects.write(theirs, f"orders/metadata/{file.name}", file.read_bytes())
    assert theirs.endpoint
    with refusing(theirs.endpoint) as seen:
        found = locate("s3://theirs/orders", Stores(Access(S3(seen.endpoint, "somebody", "secret"))))
    assert (found.name, found.is_remote, found.is_aws) == ("orders", True, False)
    assert seen.writes == []


def test_a_catalogs_own_settings_reach_the_store(moto_store: RunningStore) -> None:
    store = moto_store.store
    assert store.endpoint
    told = {
        "s3.endpoint": store.endpoint,
        "s3.access-key-id": "a",
        "s3.secret-access-key": "b",
        "s3.region": "eu-west-1",
    }
    objects.client(store).create_bucket(Bucket="told")
    objects.write(replace(store, bucket="told"), "a", b"abc")
    assert Stores(properties=told).objects("s3://told/a").size("s3://told/a") == 3


def test_a_store_without_a_credential_says_what_to_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(Problem, match="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"):
        locate("s3://lake/orders")
