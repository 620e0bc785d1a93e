"""What is missing besides a table's name is said in a sentence: packages of a catalog, properties, credentials."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from xtable_audit.access.access import AZURE, GOOGLE, Chain
from xtable_audit.locate.catalog import metadata_in_catalog
from xtable_audit.locate.locate import locate
from xtable_audit.locate.stores import tells_of_s3
from xtable_audit.model.problem import Problem, Unreachable

URIS = {"gs://lake/orders": GOOGLE, "abfss://lake@account.dfs.core.windows.net/orders": AZURE}


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of no cloud, with no credential."""

    def refused(*arguments: object, **more: object) -> socket.socket:
        raise ConnectionRefusedError

    for name in os.environ:
        if name.startswith(("GOOGLE_", "AZURE_", "GCE_", "IDENTITY_", "MSI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(socket, "create_connection", refused)


class Config:
    """What PyIceberg read of a user's configuration."""

    def __init__(self, **properties: str) -> None:
        self._properties = properties

    def get_catalog_config(self, name: str) -> dict[str, str]:
        return self._properties


# Without any credential for Google's or Azure's store, a check ends at once in a sentence that says what to set.


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize(("uri", "chain"), URIS.items(), ids=["google", "azure"])
def test_the_sentence_says_what_to_set(uri: str, chain: Chain) -> None:
    with pytest.raises(Unreachable) as refused:
        locate(uri)
    assert str(refused.value) == f"{uri} needs a credential, and none is found: {chain.advice}"


FOUND: list[tuple[Chain, Mapping[str, str]]] = [
    (GOOGLE, {"GOOGLE_APPLICATION_CREDENTIALS": "{folder}/key.json"}),
    (GOOGLE, {"HOME": "{folder}"}),
    (AZURE, {"AZURE_CLIENT_ID": "somebody"}),
    (AZURE, {"AZURE_FEDERATED_TOKEN_FILE": "/var/run/token"}),
    (AZURE, {"PATH": "{folder}"}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a key, a login by `gcloud`, and a program `az`."""
    (tmp_path / ".config/gcloud").mkdir(parents=True)
    for name in ("key.json", ".config/gcloud/application_default_credentials.json", "az"):
        (tmp_path / name).touch(0o755)
    return tmp_path


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize(
    ("chain", "environment"), FOUND, ids=lambda one: "-".join(one) if isinstance(one, dict) else ""
)
def test_whatever_may_hold_a_credential_is_the_clients_to_use(
    chain: Chain, environment: Mapping[str, str], folder: Path
) -> None:
    chain.demand("", {}, {name: value.format(folder=folder) for name, value in environment.items()})


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize("chain", [GOOGLE, AZURE], ids=["google", "azure"])
def test_a_property_suffices(chain: Chain) -> None:
    for name in chain.properties:
        chain.demand("", {name: "anything"}, {})


@pytest.fixture
def machine() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_a_machine_of_the_cloud_suffices(machine: str, tmp_path: Path) -> None:
    GOOGLE.demand("", {}, {"GCE_METADATA_ROOT": machine, "HOME": str(tmp_path)})


def test_a_file_that_is_named_and_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match=r"GOOGLE_APPLICATION_CREDENTIALS names \S+absent.json, which is no file"):
        GOOGLE.demand("", {}, {"GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path / "absent.json")})


# What a catalog needs besides, and by which properties its files are read.


@pytest.mark.parametrize("kind", ["glue", "hive"])
def test_a_catalog_whose_library_is_not_installed_names_the_extra_of_this_package(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", Config(type=kind, uri="thrift://127.0.0.1:9"))
    monkeypatch.setitem(sys.modules, f"pyiceberg.catalog.{kind}", None)
    with pytest.raises(Problem, match=f"pip install 'xtable-audit\\[{kind}\\]'; configure it"):
        metadata_in_catalog("prod.shop.orders")


def test_an_extra_that_this_package_has_not_stays_pyicebergs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", Config(type="dynamodb"))
    monkeypatch.setitem(sys.modules, "pyiceberg.catalog.dynamodb", None)
    with pytest.raises(Problem, match=r"pip install 'pyiceberg\[dynamodb\]'"):
        metadata_in_catalog("prod.shop.orders")


@pytest.mark.parametrize(
    ("name", "tells"),
    [
        ("s3.endpoint", True),
        ("client.access-key-id", True),
        ("client.role-arn", True),
        ("client.region", False),
        ("glue.region", False),
        ("warehouse", False),
    ],
)
def test_files_are_read_by_what_the_catalog_tells_of_s3(name: str, tells: bool) -> None:
    assert tells_of_s3({name: "any"}) is tells
