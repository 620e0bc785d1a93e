"""MinIO: a container where Docker answers, else a `minio` binary on the PATH."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from lab.stack.child import Child, free_port
from lab.stack.containers import Container
from lab.stack.docker import docker_answers
from lab.store.journal import Journal
from lab.store.log import RequestLog
from lab.store.objects import client
from lab.store.running import RunningStore
from lab.store.webhook import serve
from lab.store.workspace import BUCKET, Workspace
from xtable_audit.model.problem import Problem

IMAGE = "minio/minio:RELEASE.2025-09-07T16-13-09Z"
READY_IN = 60.0
"""Seconds to wait for MinIO to answer."""
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
        folder = Path(tempfile.mkdtemp(prefix="minio-log-"))  # kept if MinIO does not start: its log says why
        endpoint = f"http://127.0.0.1:{free_port()}"
        store = Workspace(endpoint, "audit" + secrets.token_hex(4), secrets.token_hex(20), bucket=bucket)
        webhook = f"http://127.0.0.1:{journal.port}"
        server = _server(None if docker else binary, store, settings(store, webhook), folder / "minio.log")
        undo.callback(server.stop)
        server.wait_until(lambda: _answers(str(store.host)), READY_IN)
        client(store).create_bucket(Bucket=bucket)
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        log = RequestLog(endpoint, bucket, store.access_key, webhook, folder, markers=2)
        return RunningStore(store, log, "minio", stop=undo.pop_all().close)
    raise AssertionError("unreachable")


def settings(store: Workspace, webhook: str) -> dict[str, str]:
    """MinIO's own environment: credentials, and its audit log sent to `webhook`."""
    return {
        "MINIO_ROOT_USER": store.access_key,
        "MINIO_ROOT_PASSWORD": store.secret_key,
        "MINIO_BROWSER": "off",
        "MINIO_UPDATE": "off",
        "MINIO_AUDIT_WEBHOOK_ENABLE_requests": "on",
        "MINIO_AUDIT_WEBHOOK_ENDPOINT_requests": webhook,
    }


def _server(binary: str | None, store: Workspace, environment: dict[str, str], log: Path) -> Child | Container:
    """A process of `binary`, or a container if it is None, on the host's network to reach our webhook on 127.0.0.1."""
    words = ["server", "--quiet", "--address", str(store.host)]
    if binary is None:
        return Container("MinIO", IMAGE, log=log, command=[*words, "/data"], environment=environment)
    scratch = Path(tempfile.mkdtemp(prefix="minio-"))
    return Child("MinIO", [binary, *words, str(scratch / "data")], log=log, scratch=scratch, environment=environment)


def _answers(host: str) -> bool:
    """Whether it takes requests. Of its health addresses, `ready` answers 200 while MinIO still reads its disk."""
    connection = HTTPConnection(host, timeout=2)
    try:
        connection.request("GET", "/minio/health/cluster")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
