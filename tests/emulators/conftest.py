"""Emulators of clouds on free ports of 127.0.0.1, one of each for the session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from pyarrow import fs

from lab.servers.child import Child, free_port
from tests.emulators.programs import program
from tests.lab.store.conftest import moto_store

__all__ = ["moto_store"]

READY_IN = 60.0
AZURES_OWN = "devstoreaccount1"
"""The account of every Azurite, and its key (Azurite's documentation)."""
AZURES_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@pytest.fixture(scope="session")
def google(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The endpoint of a fake-gcs-server with the bucket `lake`."""
    port = free_port()
    words = ["-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-backend", "memory"]
    words += ["-public-host", f"127.0.0.1:{port}"]
    endpoint = f"http://127.0.0.1:{port}"
    yield from _serve("fake-gcs-server", words, endpoint, tmp_path_factory.mktemp("google"))


@pytest.fixture(scope="session")
def lake(google: str) -> str:
    """The endpoint, with the bucket."""
    made = Request(f"{google}/storage/v1/b?project=audit", b'{"name": "lake"}', {"Content-Type": "application/json"})
    with urlopen(made, timeout=10):
        return google


@pytest.fixture(scope="session")
def azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """PyIceberg's properties for an Azurite with the container `lake`."""
    port, folder = free_port(), tmp_path_factory.mktemp("azure")
    words = ["--blobHost", "127.0.0.1", "--blobPort", str(port), "--location", str(folder / "data")]
    words += ["--silent", "--skipApiVersionCheck", "--disableTelemetry"]
    place = f"127.0.0.1:{port}"
    for _ in _serve("azurite-blob", words, f"http://{place}/{AZURES_OWN}?comp=list", folder):
        properties = {
            "adls.account-name": AZURES_OWN,
            "adls.account-key": AZURES_KEY,
            "adls.blob-storage-authority": place,
            "adls.dfs-storage-authority": place,
            "adls.blob-storage-scheme": "http",
            "adls.dfs-storage-scheme": "http",
        }
        settings = {name.removeprefix("adls.").replace("-", "_"): value for name, value in properties.items()}
        fs.AzureFileSystem(**settings).create_dir("lake")
        yield properties


def _serve(name: str, words: list[str], asked: str, folder: Path) -> Iterator[str]:
    (folder / "scratch").mkdir()
    server = Child(name, [program(name), *words], log=folder / "log", scratch=folder / "scratch")
    server.wait_until(lambda: _answers(asked), READY_IN)
    yield asked
    server.stop()


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=2):
            return True
    except HTTPError as error:
        error.close()
        return True  # whatever it answers
    except OSError:
        return False
