"""MinIO: a container where Docker answers, else a binary on the PATH; its audit webhook records its requests."""

from __future__ import annotations

import json
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from lab.servers.child import Child, free_port
from lab.servers.containers import Container
from lab.servers.docker import docker_answers
from lab.store.address import BUCKET, Workspace
from lab.store.log import JOURNAL_PATH, Entry, Journal, RequestLog
from lab.store.objects import client
from lab.store.running import RunningStore
from xtable_audit.model.problem import Problem


class QuietHandler(WSGIRequestHandler):
    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        """Logs nothing: the journal is the log."""


def serve(journal: Journal) -> BaseWSGIServer:
    """A server on a free port of 127.0.0.1, in a thread of this process. `POST /` takes audit documents."""

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == JOURNAL_PATH:
            status, body = journal.answer(environ.get("QUERY_STRING", ""))
        else:
            length = int(environ.get("CONTENT_LENGTH") or 0)
            for entry in entries(environ["wsgi.input"].read(length)):
                journal.add(entry)
            status, body = "200 OK", b""
        start_response(status, [("Content-Length", str(len(body)))])
        return [body]

    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=QuietHandler)
    threading.Thread(target=server.serve_forever, name="minio-audit", daemon=True).start()
    return server


def entries(body: bytes) -> Iterator[Entry]:
    """Journal entries of the S3 requests in one delivery: JSON documents, one per line."""
    for line in body.decode("utf-8").splitlines():
        if line.strip():
            document = json.loads(line)
            if document.get("api", {}).get("bucket"):
                yield _entry(document)


def _entry(document: dict[str, Any]) -> Entry:
    api = document["api"]
    headers = {name.lower(): value for name, value in document.get("requestHeader", {}).items()}
    ended = datetime.fromisoformat(document["time"])  # drops digits below a microsecond
    return {
        "method": _method(api["name"]),
        "bucket": api["bucket"],
        "key": api.get("object", ""),
        "query": urlencode(document.get("requestQuery", {})),
        "range": headers.get("range"),
        "user_agent": document.get("userAgent", ""),
        "access_key": document.get("accessKey") or None,
        "status": api.get("statusCode"),
        "started": int(ended.timestamp() * 1e6) * 1000 - int(api.get("timeToResponseInNS", 0)),
    }


def _method(name: str) -> str:
    """The HTTP method by the S3 API's name, since audit documents have only the name: `GetObject` -> `GET`."""
    verbs = {"Get": "GET", "List": "GET", "Head": "HEAD", "Put": "PUT", "Delete": "DELETE", "Copy": "PUT"}
    return next((method for verb, method in verbs.items() if name.startswith(verb)), "POST")


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
