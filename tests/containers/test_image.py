"""The Dockerfile, built on a stand-in of its base, checks a table as its own user, read-only, without a network."""

from __future__ import annotations

from pathlib import Path

import docker
import pytest
from docker.models.containers import Container
from pyiceberg.catalog.sql import SqlCatalog

from lab.stack.project import ROOT
from tests.emulators.catalogs import healthy

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("images"), pytest.mark.images("python")]
TAG = "xtable-audit"


@pytest.fixture
def image(daemon: docker.DockerClient, images: None, request: pytest.FixtureRequest) -> str:
    """Half a gigabyte is installed into it, anew with each change of the package."""
    if not request.config.getoption("--every-table"):
        pytest.skip("the image is built with --every-table")
    daemon.images.build(path=str(ROOT), tag=TAG, network_mode="host", rm=True, forcerm=True)
    return TAG


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A folder that every user may read, with the table shop/orders."""
    folder = tmp_path / "lake"
    folder.mkdir()
    healthy(SqlCatalog("lake", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{folder}"))
    for path in (folder, *folder.rglob("*"), *tmp_path.parents[:2]):
        path.chmod(path.stat().st_mode | 0o555)
    return folder


def test_it_checks_a_table_with_no_right_but_to_read_it(daemon: docker.DockerClient, image: str, lake: Path) -> None:
    options = {"network_mode": "none", "read_only": True, "tmpfs": {"/tmp": "", "/out": "uid=10001"}}
    mounted = {str(lake): {"bind": str(lake), "mode": "ro"}}
    command = ["check", f"{lake}/shop/orders", "--yes", "--out", "/out"]
    ran: Container = daemon.containers.run(image, command, detach=True, volumes=mounted, **options)
    status, text = ran.wait()["StatusCode"], ran.logs().decode()
    user = ran.attrs["Config"]["User"]
    ran.remove()
    assert (status, user) == (0, "10001"), text
    assert "NOTHING FOUND: every claim that applies holds" in text
