"""The requests to Docker, and the messages where they fail. No Docker is needed: a stub takes the requests."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from docker.types import Ulimit
from testcontainers.core.config import ConnectionMode, testcontainers_config
from testcontainers.core.container import Reaper
from testcontainers.core.labels import LABEL_SESSION_ID, SESSION_ID

from lab.servers.containers import Container
from lab.store import minio
from lab.store.address import Workspace
from tests.lab.engines.conftest import DockerStub, docker
from xtable_audit.model.problem import Problem

__all__ = ["docker"]

# docker-py ties the answer of a log stream to its socket in a cycle: on a busy machine the collector may come to the
# socket first, and says so in whatever test runs then.
pytestmark = pytest.mark.filterwarnings(
    r"ignore:Exception ignored in. <socket.socket \[closed\]:pytest.PytestUnraisableExceptionWarning"
)
IMAGE = "some/engine:7.1"


def start(tmp_path: Path, **more: object) -> Container:
    return Container("Engine", IMAGE, log=tmp_path / "engine.log", **more)  # type: ignore[arg-type]


@pytest.fixture
def started(docker: DockerStub, tmp_path: Path) -> Iterator[Container]:
    docker.log = b"first\nlast word\n"
    container = start(tmp_path)
    yield container
    container.stop()


def test_image_command_and_environment_are_requested(docker: DockerStub, tmp_path: Path) -> None:
    start(tmp_path, command=["serve", "--here"], environment={"A": "1"}).stop()
    created = docker.created[IMAGE]
    assert (created["Cmd"], created["Env"]) == (["serve", "--here"], ["A=1"])


def test_without_ports_it_is_on_the_hosts_own_network(docker: DockerStub, tmp_path: Path) -> None:
    start(tmp_path).stop()
    assert docker.created[IMAGE]["HostConfig"]["NetworkMode"] == "host"


def test_a_port_is_published_on_loopback_only(docker: DockerStub, tmp_path: Path) -> None:
    start(tmp_path, ports={3473: 4001}).stop()
    host = docker.created[IMAGE]["HostConfig"]
    assert host["PortBindings"] == {"3473/tcp": [{"HostIp": "127.0.0.1", "HostPort": "4001"}]}
    assert host["NetworkMode"] == "bridge"


def test_limits_and_security_options_are_passed_on(docker: DockerStub, tmp_path: Path) -> None:
    limit = Ulimit(name="memlock", soft=8, hard=8)
    start(tmp_path, security_opt=["seccomp=unconfined"], ulimits=[limit], user="engine", tmpfs={"/run": "rw"}).stop()
    created = docker.created[IMAGE]
    assert created["HostConfig"]["SecurityOpt"] == ["seccomp=unconfined"]
    assert created["HostConfig"]["Ulimits"] == [{"Name": "memlock", "Soft": 8, "Hard": 8}]
    assert created["HostConfig"]["Tmpfs"] == {"/run": "rw"}
    assert created["User"] == "engine"


def test_files_are_in_place_before_it_starts(docker: DockerStub, tmp_path: Path) -> None:
    (tmp_path / "given").write_text("from a file")
    files = {"/etc/engine/config.yaml": b"a: 1", "/etc/engine/given": tmp_path / "given"}
    start(tmp_path, files=files).stop()
    assert {f"/{name.lstrip('/')}": content for name, content in docker.files.items()} == {
        "/etc/engine/config.yaml": b"a: 1",
        "/etc/engine/given": b"from a file",
    }


@pytest.mark.parametrize("image", ["some/engine:7.1", "some/engine@sha256:" + "ab" * 32])
def test_an_image_that_is_not_here_is_pulled_as_it_is_pinned(docker: DockerStub, tmp_path: Path, image: str) -> None:
    docker.images.clear()
    reported: list[str] = []
    Container("Engine", image, log=tmp_path / "log", report=reported.append).stop()
    assert docker.images == {image}
    assert reported == [
        f"pulling {image}",
        f"pulling {image}, 15 of 30 MB",
        f"pulling {image}, 20 of 40 MB",
        "starting Engine",
    ]


def test_a_failed_pull_names_the_image_and_the_reason(docker: DockerStub, tmp_path: Path) -> None:
    docker.images.clear()
    docker.pull_error = "manifest unknown"
    with pytest.raises(Problem, match=r"The image some/engine:7.1 cannot be pulled \(manifest unknown\)"):
        start(tmp_path)


def test_a_port_in_use_is_one_sentence_and_nothing_is_left(docker: DockerStub, tmp_path: Path) -> None:
    docker.start_error = "Bind for 127.0.0.1:4001 failed: port is already allocated"
    with pytest.raises(Problem, match=r"A port that Engine needs is in use \(Bind for 127.0.0.1:4001"):
        start(tmp_path, ports={3473: 4001})
    assert docker.removed == [IMAGE]


def test_a_refused_container_is_one_sentence(docker: DockerStub, tmp_path: Path) -> None:
    docker.start_error = "exec format error"
    with pytest.raises(Problem, match=r"Docker refuses the container of Engine \(exec format error\)"):
        start(tmp_path)


def test_its_output_is_in_the_log(started: Container) -> None:
    started.wait_until(lambda: "last word" in started.log.read_text(), 5)


def test_one_that_runs_is_running(started: Container) -> None:
    assert started.running


def test_one_that_ends_is_reported_with_its_last_line(docker: DockerStub, started: Container) -> None:
    docker.end()
    with pytest.raises(Problem, match=r"Engine did not start: last word Its log: .*engine.log"):
        started.wait_until(lambda: False, 5)


def test_one_that_ends_without_output_is_reported_with_its_exit_code(docker: DockerStub, tmp_path: Path) -> None:
    container = start(tmp_path)
    docker.end()
    assert container.last_words() == "exit code 3."
    container.stop()


def test_one_that_is_not_ready_in_time_is_removed(docker: DockerStub, started: Container) -> None:
    with pytest.raises(Problem, match="Engine is not ready after 0 s"):
        started.wait_until(lambda: False, 0.1)
    assert docker.removed == [IMAGE]


def test_it_may_be_stopped_twice(docker: DockerStub, started: Container) -> None:
    started.stop()
    started.stop()
    assert docker.removed == [IMAGE]
    assert not started.running


def test_without_docker_it_says_how_to_get_it(docker: DockerStub, tmp_path: Path) -> None:
    docker.go_away()
    with pytest.raises(Problem, match=r"Engine as a container needs Docker, and no Docker daemon answers: start it"):
        start(tmp_path)


def test_a_daemon_that_goes_away_later_takes_the_container_with_it(docker: DockerStub, started: Container) -> None:
    docker.go_away()
    assert not started.running
    assert started.last_words().startswith("Docker lost it")


def test_a_daemon_that_is_gone_does_not_hinder_the_end(docker: DockerStub, started: Container) -> None:
    docker.go_away()
    started.stop()
    assert "(not removed: " in started.log.read_text()


@pytest.mark.parametrize("dropped", [0, 2], ids=["at once", "once two connections are dropped"])
def test_the_reaper_receives_the_label_of_the_containers_it_watches(
    docker: DockerStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dropped: int
) -> None:
    monkeypatch.setattr(testcontainers_config, "_ryuk_disabled", False)
    monkeypatch.setattr(testcontainers_config, "connection_mode_override", ConnectionMode.docker_host)
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as reaper:
        reaper.settimeout(20)
        docker.reaper_port = reaper.getsockname()[1]

        def listen() -> None:
            for _ in range(dropped):
                reaper.accept()[0].close()
            with reaper.accept()[0] as peer:
                received.append(peer.recv(1000))
                peer.send(b"ACK\n")

        listener = Thread(target=listen)
        listener.start()
        start(tmp_path).stop()
        listener.join(10)
        Reaper.delete_instance()
    assert received == [f"label={LABEL_SESSION_ID}={SESSION_ID}\r\n".encode()]
    assert docker.created[IMAGE]["Labels"][LABEL_SESSION_ID] == SESSION_ID


def test_minio_as_a_container_listens_on_loopback(docker: DockerStub, tmp_path: Path) -> None:
    docker.images.add(minio.IMAGE)
    store = Workspace("http://127.0.0.1:9123", "key", "secret")
    minio._server(None, store, minio.settings(store, "http://127.0.0.1:1"), tmp_path / "minio.log").stop()
    created = docker.created[minio.IMAGE]
    assert created["Cmd"] == ["server", "--quiet", "--address", "127.0.0.1:9123", "/data"]
    assert created["HostConfig"]["NetworkMode"] == "host"
    assert "MINIO_ROOT_USER=key" in created["Env"]
