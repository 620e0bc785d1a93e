"""Trino, PostgreSQL, Nessie and MinIO in a real Docker engine, from stand-ins of their images; and what goes wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import docker
import pytest
from docker.models.containers import Container as Started
from testcontainers.core.config import testcontainers_config

from lab.servers.child import free_port
from lab.servers.containers import Container
from lab.servers.docker import docker_answers
from lab.stack.project import ROOT
from lab.stack.versions import nessie_versions, postgres_versions, trino
from lab.store import minio
from lab.store.address import BUCKET
from tests.containers.engine import left
from tests.containers.stand_ins import STAND_INS
from tests.wait_until import wait_until
from xtable_audit.model.problem import Problem

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("images"), pytest.mark.images("reaper", "minio")]
NOBODY = 65534
SUITES = ("suites/selection/test_readers.py", "suites/catalog/test_nessie.py")
ALL = "(good_layout or bad_layout) and trino and (month or nessie)"
DUCKDB = (*SUITES, "--s3", "minio", "--readers", "duckdb", "--ask-again", "-k", "good_layout and duckdb and month")
STARTS_IN = 180.0
GOES_IN = 30.0
"""Seconds in which the reaper removes what a killed process leaves."""


class Suite:
    """A run of the suite on recordings in a process of its own."""

    def __init__(self, out: Path, environment: dict[str, str], *options: str) -> None:
        self.out = out
        command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", "--recorded", f"--out={out}"]
        self.process = subprocess.Popen(
            [*command, *options], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def ended(self) -> tuple[int, str]:
        text, _ = self.process.communicate(timeout=600)
        return self.process.returncode, text

    @property
    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.out / "latest" / "audit.json").read_text())
        return found


@pytest.fixture
def suite(environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Suite]]:
    """Starts runs, and ends what a test that failed leaves running."""
    with ExitStack() as ends:

        def start(*options: str, out: str = "out") -> Suite:
            started = Suite(tmp_path / out, environment, *options)
            ends.enter_context(started.process)
            ends.callback(started.process.terminate)
            return started

        yield start


def started(daemon: docker.DockerClient, image: str, number: int = 1) -> list[Started]:
    """So many containers of the image, once they are."""

    def found() -> list[Started]:
        return list(daemon.containers.list(filters={"ancestor": image}, ignore_removed=True))

    wait_until(lambda: len(found()) == number, f"{number} of {image} are started", STARTS_IN)
    return found()


def store_with_a_table(daemon: docker.DockerClient) -> Started:
    """MinIO's container, once the suite has put a table into it."""
    [container] = started(daemon, minio.IMAGE)
    wait_until(lambda: container.exec_run(["ls", f"/data/{BUCKET}/tables"]).exit_code == 0, "it has a table", STARTS_IN)
    return container


@pytest.mark.images("reaper", "minio", "postgres", "trino", "nessie")
def test_the_published_tables_are_read_as_published(suite: Callable[..., Suite]) -> None:
    """Live, planned and read files; the control is the native table of the same files. Nessie refuses XTable's."""
    engines = ("--s3", "minio", "--trino", "container", "--nessie", "container", "--readers", "trino")
    ran = suite(*SUITES, *engines, "--ask-again", "-k", ALL)
    status, text = ran.ended()
    assert status == 0, text
    rows = {row["table"]: (row["live"], row["planned"], row["readers"]["trino"]) for row in ran.document["selections"]}
    assert {table: (live, planned, trino["read"]) for table, (live, planned, trino) in rows.items()} == {
        "good_layout-xtable": (4, 1, 1),
        "good_layout-control": (4, 1, 1),
        "bad_layout-xtable": (4, 4, 4),
        "bad_layout-control": (4, 4, 4),
    }
    details = [step["detail"] for step in ran.document["steps"] if step["name"] == "engine"]
    assert {detail.partition(", a ")[2].partition(" at ")[0] for detail in details} == {"container"}
    nessie = [claim for claim in ran.document["claims"] if "nessie" in claim["test"]]
    assert {claim["outcome"] for claim in nessie} == {"known"}


def test_a_store_that_is_killed_makes_the_run_inconclusive(
    suite: Callable[..., Suite], daemon: docker.DockerClient
) -> None:
    ran = suite(*DUCKDB)
    store_with_a_table(daemon).kill()
    status, text = ran.ended()
    assert status == 6, text
    reasons = {claim["reason"] for claim in ran.document["claims"] if claim["outcome"] == "inconclusive"}
    assert reasons
    assert all("tore" in one and "does not" in one and "\n" not in one for one in reasons), reasons


TRINO = ["/usr/lib/trino/bin/health-check"]
NESSIE = ["bash", "-c", "</dev/tcp/127.0.0.1/$QUARKUS_HTTP_PORT"]


@pytest.mark.images("reaper", "minio", "postgres", "trino", "nessie")
@pytest.mark.parametrize(
    ("killed", "answers", "by", "selected", "words"),
    [
        (trino().image, trino().image, TRINO, "month", "Trino "),
        (postgres_versions().image, trino().image, TRINO, "month", "catalog"),
        (nessie_versions().image, nessie_versions().image, NESSIE, "nessie", "Nessie"),
    ],
    ids=["Trino", "PostgreSQL", "Nessie"],
)
def test_a_server_that_is_killed_makes_the_run_inconclusive_and_the_next_one_right(
    suite: Callable[..., Suite],
    daemon: docker.DockerClient,
    killed: str,
    answers: str,
    by: list[str],
    selected: str,
    words: str,
) -> None:
    """Killed once `answers` does, by its command `by`. What was answered before, and what was not, is asked again."""
    engines = ("--s3", "minio", "--trino", "container", "--nessie", "container", "--readers", "trino")
    options = (*SUITES, *engines, "-k", f"good_layout and trino and {selected}")
    ran = suite(*options, "--ask-again")
    [server] = started(daemon, answers)
    wait_until(lambda: server.exec_run(by).exit_code == 0, "it answers", STARTS_IN)
    [victim] = started(daemon, killed)
    victim.kill()
    status, text = ran.ended()
    assert status == 6, text
    reasons = {claim["reason"] for claim in ran.document["claims"] if claim["outcome"] == "inconclusive"}
    assert reasons
    assert all(words in one and "\n" not in one for one in reasons), reasons
    status, text = suite(*options).ended()
    assert status == 0, text


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_a_run_that_is_ended_leaves_nothing(
    suite: Callable[..., Suite], daemon: docker.DockerClient, end: signal.Signals
) -> None:
    ran = suite(*DUCKDB)
    store_with_a_table(daemon)
    ran.process.send_signal(end)
    ran.ended()
    wait_until(lambda: not left(daemon), "the reaper has removed all", GOES_IN)


def test_two_runs_at_once_are_right(suite: Callable[..., Suite], daemon: docker.DockerClient) -> None:
    runs = [suite(*DUCKDB, out=name) for name in ("one", "other")]
    started(daemon, minio.IMAGE, 2)
    assert [run.ended()[0] for run in runs] == [0, 0]


# One container, started in this process.


@pytest.fixture
def start(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Container]:
    """Without the reaper, which lives as long as this process."""
    monkeypatch.setattr(testcontainers_config, "_ryuk_disabled", True)
    return lambda image, **more: Container("Engine", image, log=tmp_path / "log", **more)


def test_an_older_engine_answers(environment: dict[str, str]) -> None:
    """Debian's has API 1.41."""
    assert docker_answers()


def test_a_port_that_is_taken_is_one_sentence(start: Callable[..., Container]) -> None:
    taken = start(minio.IMAGE, command=["server", "/data"], ports={9000: (port := free_port())})
    with pytest.raises(Problem, match=r"^A port that Engine needs is in use \(.*\). End what listens there.$"):
        start(minio.IMAGE, ports={9000: port})
    taken.stop()


def test_an_image_that_is_missing_is_one_sentence(start: Callable[..., Container]) -> None:
    """Its registry would listen on this machine."""
    with pytest.raises(Problem, match=r"^The image 127.0.0.1:1/no/image:1 cannot be pulled \(.*refused.*\)\. Check"):
        start("127.0.0.1:1/no/image:1")


def test_a_container_that_ends_is_reported_by_its_last_line(start: Callable[..., Container]) -> None:
    ends = start(STAND_INS["minio"].of, command=["sh", "-c", "exit 1"])
    with pytest.raises(Problem, match=r"^Engine did not start: "):
        ends.wait_until(lambda: False, 20)


def test_an_engine_that_is_closed_to_the_account_is_one_sentence(start: Callable[..., Container]) -> None:
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        with pytest.raises(
            Problem, match=r"^Engine as a container needs Docker, and this account may not use its socket"
        ):
            start(minio.IMAGE)
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)
