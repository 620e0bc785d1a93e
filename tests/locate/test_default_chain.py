"""Without any credential for Google's or Azure's store, a check ends at once in a sentence that says what to set."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from xtable_audit.access.default_chain import AZURE, GOOGLE, Chain
from xtable_audit.locate.locate import locate
from xtable_audit.model.problem import Unreachable

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
