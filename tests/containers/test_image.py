"""The Dockerfile, built on stand-ins of its bases: one image checks tables of a disk and of MinIO, one is the suite."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import boto3
import docker
import pytest
from docker.models.containers import Container
from pyiceberg.catalog.sql import SqlCatalog

from lab.stack.cache import Cache
from lab.stack.jars import is_resolvable
from lab.stack.maven_repositories import Repositories
from lab.stack.project import ROOT
from lab.stack.versions import release
from lab.store.minio import IMAGE as MINIO
from tests.emulators.catalogs import healthy
from tests.wait_until import wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.at_night,
    pytest.mark.usefixtures("images"),
    pytest.mark.images("python"),
]
KEYS = {"AWS_ACCESS_KEY_ID": "audit", "AWS_SECRET_ACCESS_KEY": "audit-secret", "AWS_REGION": "us-east-1"}
OWNER = {"aws_access_key_id": "audit", "aws_secret_access_key": "audit-secret", "region_name": "us-east-1"}
STARTS_IN = 60.0
GATES_USER = 1001
RELEASES = ("0.3.0-incubating", "0.4.0-incubating")
UPGRADED = "history_upgrade_flat"
READ, KNOWN = "good_layout and duckdb and month", "types_long_strings_groups-xtable and contain"
"""The published table, read, and one of the battery's archive."""


@pytest.fixture
def built(daemon: docker.DockerClient, images: None) -> Callable[[str], str]:
    """Builds a target of the Dockerfile, and returns the image's name."""

    def build(target: str) -> str:
        tag = f"xtable-audit-{target}"
        daemon.images.build(path=str(ROOT), tag=tag, target=target, network_mode="host", rm=True, forcerm=True)
        return tag

    return build


@pytest.fixture
def image(built: Callable[[str], str]) -> str:
    """Half a gigabyte is installed into it, anew with each change of the package."""
    return built("check")


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


@pytest.fixture
def store(daemon: docker.DockerClient, images: None) -> Iterator[tuple[str, str]]:
    """The network of a MinIO that has the table s3://lake/shop/orders, and MinIO's address from this machine."""
    network = daemon.networks.create("xtable-audit-image")
    users = {"MINIO_ROOT_USER": KEYS["AWS_ACCESS_KEY_ID"], "MINIO_ROOT_PASSWORD": KEYS["AWS_SECRET_ACCESS_KEY"]}
    started = daemon.containers.run(
        MINIO, ["server", "/data"], detach=True, network=network.name, name="minio", environment=users
    )
    started.reload()
    address = f"http://{started.attrs['NetworkSettings']['Networks'][network.name]['IPAddress']}:9000"
    wait_until(lambda: started.exec_run(["mc", "ready", "local"]).exit_code == 0, "MinIO is ready", STARTS_IN)
    yield network.name, address
    started.remove(force=True, v=True)
    network.remove()


@pytest.mark.images("python", "minio")
def test_it_checks_a_table_in_minio(
    daemon: docker.DockerClient, image: str, store: tuple[str, str], tmp_path: Path
) -> None:
    network, address = store
    boto3.client("s3", endpoint_url=address, **OWNER).create_bucket(Bucket="lake")
    files = {"s3.endpoint": address, "s3.access-key-id": "audit", "s3.secret-access-key": "audit-secret"}
    healthy(SqlCatalog("lake", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse="s3://lake", **files))
    environment = {**KEYS, "AWS_ENDPOINT_URL": "http://minio:9000"}
    command = ["check", "s3://lake/shop/orders", "--yes", "--out", "/tmp/out"]
    ran: Container = daemon.containers.run(image, command, detach=True, network=network, environment=environment)
    status, text = ran.wait()["StatusCode"], ran.logs().decode()
    ran.remove()
    assert status == 0, text
    assert "NOTHING FOUND: every claim that applies holds" in text


@pytest.mark.images("python", "temurin")
def test_the_one_for_a_gate_audits_by_a_reader_and_has_java(
    daemon: docker.DockerClient, built: Callable[[str], str], tmp_path: Path
) -> None:
    """Without a network, on recordings. Its layer of 3 GB is made anew with each change of the requirements alone."""
    out = tmp_path / "out"
    out.mkdir()
    os.chown(out, GATES_USER, GATES_USER)
    for folder in tmp_path.parents[:2]:
        folder.chmod(folder.stat().st_mode | 0o555)
    audit = f"make audit-quick READERS=duckdb WORKERS=0 ARGS=\"-k '({READ}) or ({KNOWN})'\""
    command = ["sh", "-c", f"java -version && {audit}"]
    mounted = {str(out): {"bind": "/suite/out", "mode": "rw"}}
    image = built("gate")
    ran: Container = daemon.containers.run(image, command, detach=True, volumes=mounted, network_mode="none")
    status, text = ran.wait()["StatusCode"], ran.logs().decode()
    user = ran.attrs["Config"]["User"]
    ran.remove()
    assert (status, user) == (0, str(GATES_USER)), text
    assert 'openjdk version "17.' in text
    assert "installing requirements.txt" not in text
    document = json.loads((out / "latest" / "audit.json").read_text())
    read = {row["table"]: (row["live"], row["readers"]["duckdb"]["read"]) for row in document["selections"]}
    assert read == {"good_layout-xtable": (4, 1), "good_layout-control": (4, 1)}


@pytest.mark.jvm
@pytest.mark.images("python", "temurin")
def test_the_one_for_a_gate_answers_one_live(
    daemon: docker.DockerClient, built: Callable[[str], str], tmp_path: Path
) -> None:
    """First with an empty cache, which takes from a repository what ~/.m2 lacks; then with it, without a network."""
    if missing := [one for one in RELEASES if not is_resolvable(release(one))]:
        pytest.skip(f"{', '.join(missing)} does not resolve")
    mounted = {}
    if (installed := Repositories.of_this_machine(Cache().root).installed).is_dir():
        mounted[str(installed)] = {"bind": "/repository", "mode": "ro"}
    for name, inside in (("out", "/suite/out"), ("cache", "/home/audit/.cache")):
        (tmp_path / name).mkdir()
        os.chown(tmp_path / name, GATES_USER, GATES_USER)
        mounted[str(tmp_path / name)] = {"bind": inside, "mode": "rw"}
    environment = {"MAVEN_REPO_LOCAL": "/repository", "REQUESTS_CA_BUNDLE": "/etc/ssl/certs/ca-certificates.crt"}
    before, to = RELEASES
    command = ["make", "gate", f"FROM={before}", f"TO={to}", "READERS=none", f"ARGS=-k {UPGRADED}"]
    image = built("gate")
    for number, network in enumerate(("host", "none"), 1):
        ran: Container = daemon.containers.run(
            image, command, detach=True, volumes=mounted, network_mode=network, environment=environment
        )
        status, text = ran.wait()["StatusCode"], ran.logs().decode()
        ran.remove()
        assert status == 0, text
        answers = [json.loads(path.read_text())["advice"] for path in (tmp_path / "out").glob("gate-*/gate.json")]
        assert answers == ["upgrade, and drop the Iceberg metadata first"] * number, text
