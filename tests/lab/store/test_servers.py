"""Servers start where they should, say what is missing, and end with their parent."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from lab.store import minio, moto, objects
from lab.store import open as remote
from lab.store.moto_server import THREADS
from lab.store.open import open_store
from lab.store.running import RunningStore
from tests.wait_until import comes_true
from xtable_audit.model.problem import Problem


def answers(endpoint: str) -> bool:
    connection = HTTPConnection(endpoint.removeprefix("http://"), timeout=5)
    try:
        connection.request("GET", "/")
        connection.getresponse()
    except OSError:
        return False
    else:
        return True
    finally:
        connection.close()


def test_a_store_listens_on_loopback_with_its_bucket_in_place(running: RunningStore) -> None:
    assert str(running.store.endpoint).startswith("http://127.0.0.1:")
    assert objects.list_objects(running.store, "nothing-yet") == {}


def test_a_bucket_may_have_another_name() -> None:
    with open_store("moto", "other-bucket") as other:
        objects.write(other.store, "k", b"v")
        assert objects.read(other.store, "k") == b"v"


def test_a_stopped_store_is_gone_with_its_state() -> None:
    running = moto.start()
    running.stop()
    running.stop()
    assert running.log
    assert not answers(str(running.store.endpoint))
    assert not running.log.locks.exists()


def test_a_store_shared_by_json_is_the_same_store(running: RunningStore) -> None:
    shared = RunningStore.from_json(running.to_json())
    objects.write(shared.store, "shared", b"1")
    assert shared == running
    assert objects.read(running.store, "shared") == b"1"


def test_a_secret_key_is_not_in_what_is_printed_of_a_store(running: RunningStore) -> None:
    assert running.store.secret_key not in repr(running)


@pytest.mark.parametrize("name", ["moto", "minio"])
def test_a_server_ends_with_its_parent_even_when_that_is_killed(name: str, request: pytest.FixtureRequest) -> None:
    if name == "minio":
        request.getfixturevalue("minio_store")  # skips where there is none
    script = (
        f"from lab.store.open import open_store; r = open_store('{name}'); print(r.store.endpoint, flush=True); input()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout
    assert parent.stdin
    with parent.stdout, parent.stdin:
        endpoint = parent.stdout.readline().strip()
        assert answers(endpoint)
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    assert comes_true(lambda: not answers(endpoint), 15)


def test_more_connections_than_threads_are_all_served_again_and_again() -> None:
    """A thread that stays with its connection keeps no other waiting."""
    with moto.start() as running:
        host = str(running.store.endpoint).removeprefix("http://")
        many = [HTTPConnection(host, timeout=20) for _ in range(THREADS + 8)]
        for _ in range(2):
            for one in many:
                one.request("GET", f"/{running.store.bucket}?list-type=2")
            assert {one.getresponse().read()[:5] for one in many} == {b"<?xml"}
        for one in many:
            one.close()


def test_an_unknown_store_is_refused_by_name() -> None:
    with pytest.raises(Problem, match="--s3 azure is not known: use moto, minio, or the URL"):
        open_store("azure")


def test_without_docker_and_binary_minio_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(minio, "docker_answers", lambda: False)
    with pytest.raises(Problem, match="start Docker, or run `go install"):
        minio.start()


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Makes a script the `minio` of the PATH, where no Docker answers."""

    def put(script: str) -> None:
        binary = tmp_path / "minio"
        binary.write_text(script)
        binary.chmod(0o755)
        monkeypatch.setattr(shutil, "which", lambda name: str(binary))
        monkeypatch.setattr(minio, "docker_answers", lambda: False)

    return put


def test_a_minio_that_does_not_start_is_reported_in_its_own_words(stand_in: Callable[[str], None]) -> None:
    stand_in("#!/bin/sh\necho FATAL the disk is full\nexit 1\n")
    with pytest.raises(Problem, match="MinIO did not start: FATAL the disk is full"):
        minio.start()


STARTING = """#!{python}
import sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def answer(self):
        status = 200 if "ready" in self.path or time.monotonic() > ready_at else 503
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()
    do_GET = do_PUT = answer

host, port = sys.argv[sys.argv.index("--address") + 1].split(":")
server = HTTPServer((host, int(port)), Handler)
ready_at = time.monotonic() + 3
server.serve_forever()
"""
"""A MinIO that says `ready` at once, and for three seconds refuses every request, as a busy one does for less."""


def test_a_minio_that_says_ready_before_it_takes_requests_is_waited_for(stand_in: Callable[[str], None]) -> None:
    stand_in(STARTING.format(python=sys.executable))
    minio.start().stop()


@pytest.fixture
def credential(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Sets the credential of the environment, and no other."""
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, os.devnull)

    def put(access_key: str, secret_key: str) -> None:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", access_key)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret_key)

    return put


Credential = Callable[[str, str], None]


def test_a_remote_store_has_no_request_log(running: RunningStore, credential: Credential) -> None:
    credential(running.store.access_key, running.store.secret_key)
    reached = remote.connect(str(running.store.endpoint))
    assert (reached.store, reached.log) == (running.store, None)


def test_a_bucket_that_is_not_there_is_one_sentence(running: RunningStore, credential: Credential) -> None:
    credential(running.store.access_key, running.store.secret_key)
    with pytest.raises(Problem, match=r"bucket no-such-bucket is not at http://127.0.0.1:.* create it"):
        remote.connect(str(running.store.endpoint), "no-such-bucket")


@pytest.mark.parametrize("wrong", ["access_key", "secret_key"])
def test_a_refused_credential_is_one_sentence(minio_store: RunningStore, wrong: str, credential: Credential) -> None:
    store = replace(minio_store.store, **{wrong: "wrong"})
    credential(store.access_key, store.secret_key)
    with pytest.raises(Problem, match=r"refuses the credential .*: check AWS_ACCESS_KEY_ID"):
        remote.connect(str(store.endpoint))


def test_no_credential_is_one_sentence(credential: Credential, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(Problem, match="needs a credential: set AWS_ACCESS_KEY_ID"):
        remote.connect("https://s3.example.invalid")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://no-such-host.invalid", "http://"])
def test_an_endpoint_that_does_not_answer_is_one_sentence(url: str, credential: Credential) -> None:
    credential("a", "b")
    with pytest.raises(Problem, match="does not answer as S3") as caught:
        remote.connect(url)
    assert "\n" not in str(caught.value)
