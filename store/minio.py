"""MinIO: a container where Docker answers, else a `minio` binary on the PATH."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from stack.problem import Problem
from store.journal import Journal
from store.log import RequestLog
from store.objects import client
from store.running import RunningStore
from store.s3 import BUCKET, Store
from store.webhook import serve

ROOT = Path(__file__).resolve().parents[1]
IMAGE = "minio/minio:RELEASE.2025-09-07T16-13-09Z"
DOCKER_API = "1.44"
"""Docker 25's. Named, so that making the client does not yet talk to the daemon."""
READY_IN = 60.0
"""Seconds until a MinIO that does not answer is given up."""
MISSING = (
    "MinIO needs Docker or a `minio` binary on the PATH, and neither is here: start Docker, or run "
    "`go install github.com/minio/minio@latest`, or use the default --s3 moto"
)


def start(bucket: str = BUCKET) -> RunningStore:
    """MinIO on a free port of 127.0.0.1 with random credentials, `bucket` and a request log. Ends with this process."""
    docker, binary = docker_answers(), shutil.which("minio")
    if not docker and binary is None:
        raise Problem(MISSING)
    with ExitStack() as undo:
        journal = serve(Journal())
        undo.callback(journal.shutdown)
        locks = tempfile.TemporaryDirectory(prefix="minio-log-")
        undo.callback(locks.cleanup)
        endpoint = f"http://127.0.0.1:{_free_port()}"
        store = Store(endpoint, "audit" + secrets.token_hex(4), secrets.token_hex(20), bucket=bucket)
        webhook = f"http://127.0.0.1:{journal.port}"
        if docker:
            ended = _container(store, webhook, undo)
        else:
            assert binary is not None
            ended = _process(binary, store, webhook, undo)
        _wait_until_ready(store, ended)
        client(store).create_bucket(Bucket=bucket)
        log = RequestLog(endpoint, bucket, store.access_key, webhook, Path(locks.name), markers=2)
        return RunningStore(store, log, "minio", stop=undo.pop_all().close)
    raise AssertionError("unreachable")


def docker_answers() -> bool:
    """Whether a Docker daemon can be talked to."""
    import docker
    from docker.errors import DockerException

    if not _socket_is_open(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")):
        return False
    daemon = docker.from_env(version=DOCKER_API, timeout=5)
    try:
        return bool(daemon.ping())
    except (DockerException, OSError):
        return False
    finally:
        daemon.close()


def _socket_is_open(host: str) -> bool:
    """False for a Unix socket that nobody listens on, which the Docker client would leave open."""
    scheme, _, path = host.partition("://")
    if scheme != "unix":
        return True
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0


def settings(store: Store, webhook: str) -> dict[str, str]:
    """MinIO's own environment: credentials, and its audit log sent to `webhook`."""
    return {
        "MINIO_ROOT_USER": store.access_key,
        "MINIO_ROOT_PASSWORD": store.secret_key,
        "MINIO_BROWSER": "off",
        "MINIO_UPDATE": "off",
        "MINIO_AUDIT_WEBHOOK_ENABLE_requests": "on",
        "MINIO_AUDIT_WEBHOOK_ENDPOINT_requests": webhook,
    }


def _process(binary: str, store: Store, webhook: str, undo: ExitStack) -> Callable[[], str | None]:
    """Starts the binary; returns what says its last words once it has ended, else None."""
    scratch = Path(tempfile.mkdtemp(prefix="minio-"))
    said = (scratch / "minio.log").open("w+")
    command = [binary, "server", "--quiet", "--address", str(store.host), str(scratch / "data")]
    child = subprocess.Popen(
        [sys.executable, "-m", "store.leash", "--remove", str(scratch), "--", *command],
        cwd=ROOT,
        env=os.environ | settings(store, webhook) | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=said,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # Ctrl-C is for the run, which still needs its store to finish cleanly
    )
    undo.callback(said.close)
    undo.callback(child.communicate)  # closes its standard input, which ends it

    def ended() -> str | None:
        if child.poll() is None:
            return None
        said.seek(0)
        return said.read().strip() or f"exit code {child.returncode}"

    return ended


def _container(store: Store, webhook: str, undo: ExitStack) -> Callable[[], str | None]:
    """Starts the container on the host's own network, so that it listens on 127.0.0.1 and reaches our webhook there.

    testcontainers' reaper ends it should this process be killed.
    """
    from testcontainers.core.container import DockerContainer

    container = DockerContainer(IMAGE).with_kwargs(network_mode="host").with_envs(**settings(store, webhook))
    container.with_command(f"server --quiet --address {store.host} /data").start()
    undo.callback(container.stop)

    def ended() -> str | None:
        wrapped = container.get_wrapped_container()
        wrapped.reload()
        return None if wrapped.status in ("created", "running") else wrapped.logs().decode().strip()

    return ended


def _wait_until_ready(store: Store, ended: Callable[[], str | None]) -> None:
    deadline = time.monotonic() + READY_IN
    while not _answers(str(store.host)):
        words = ended()
        if words is not None:
            raise Problem(f"MinIO did not start: {words.splitlines()[-1]}")
        if time.monotonic() > deadline:
            raise Problem(f"MinIO does not answer on {store.host} after {READY_IN:.0f} s; is the machine overloaded?")
        time.sleep(0.02)


def _answers(host: str) -> bool:
    connection = HTTPConnection(host, timeout=2)
    try:
        connection.request("GET", "/minio/health/ready")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
