"""The request log: a window of it holds its own requests and no others; the journal keeps each for a while."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import pytest
from filelock import FileLock

from lab.servers.child import free_port
from lab.stack.project import ROOT
from lab.store import log, objects
from lab.store.log import Journal, Request, access_key_of
from lab.store.minio import entries
from lab.store.running import RunningStore
from tests.window import window
from xtable_audit.model.problem import Problem


def with_objects(running: RunningStore) -> RunningStore:
    for name in "ab":
        objects.write(running.store, f"keys/{name}", name.encode())
    return running


@pytest.fixture
def running(running: RunningStore) -> RunningStore:
    return with_objects(running)


def entry(key: str) -> log.Entry:
    return {"key": key, "started": 0}


# A window of the request log holds its own requests, and no others.


def test_a_window_holds_the_request_with_key_range_agent_and_status(running: RunningStore) -> None:
    assert running.log
    with window(running.log) as seen:
        objects.client(running.store).get_object(Bucket=running.store.bucket, Key="keys/a", Range="bytes=0-0")
    (only,) = seen
    assert (only.method, only.key, only.range, only.status) == ("GET", "keys/a", "bytes=0-0", 206)
    assert "Botocore" in only.user_agent


@pytest.mark.parametrize("key", ["a b/é=1+2%/😀.parquet", "p=a%2Fb/x", "plus+amp&q?x#y"])
def test_a_key_is_reported_unchanged(running: RunningStore, key: str) -> None:
    assert running.log
    objects.write(running.store, key, b"x")
    with window(running.log) as seen:
        objects.read(running.store, key)
    assert [request.key for request in seen] == [key]


def test_a_listing_reports_its_query(running: RunningStore) -> None:
    assert running.log
    with window(running.log) as seen:
        objects.list_objects(running.store, "keys")
    (only,) = seen
    assert (only.method, only.key) == ("GET", "")
    assert "prefix=keys%2F" in only.query


def test_a_request_that_is_refused_is_reported_with_its_status(running: RunningStore) -> None:
    assert running.log
    with window(running.log) as seen, pytest.raises(Exception, match="NoSuchKey"):
        objects.read(running.store, "keys/none")
    assert [(request.key, request.status) for request in seen] == [("keys/none", 404)]


def test_requests_before_and_after_a_window_are_not_in_it(running: RunningStore) -> None:
    assert running.log
    objects.read(running.store, "keys/a")
    with window(running.log) as seen:
        objects.read(running.store, "keys/b")
    objects.read(running.store, "keys/a")
    assert [request.key for request in seen] == ["keys/b"]


def test_a_window_that_ends_in_an_error_still_has_its_requests(running: RunningStore) -> None:
    assert running.log
    with suppress(ZeroDivisionError), window(running.log) as seen:
        objects.read(running.store, "keys/a")
        raise ZeroDivisionError
    assert [request.key for request in seen] == ["keys/a"]


def test_windows_one_after_the_other_hold_each_its_own(running: RunningStore) -> None:
    assert running.log
    with running.log.windows() as cut:
        objects.read(running.store, "keys/a")
        first = cut()
        objects.read(running.store, "keys/b")
        second = cut()
        third = cut()
        objects.read(running.store, "keys/a")
    assert [[request.key for request in seen] for seen in (first, second, third)] == [["keys/b"], [], ["keys/a"]]


def test_every_request_of_a_burst_is_in_its_window(running: RunningStore) -> None:
    assert running.log
    with window(running.log) as seen, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: objects.read(running.store, "keys/a"), range(100)))
    assert [request.key for request in seen] == ["keys/a"] * 100


def hammer(running: RunningStore, key: str, windows: int, reads: int) -> list[list[Request]]:
    """Windows of one worker, each with some reads of its own key."""
    assert running.log
    windows_seen = []
    for _ in range(windows):
        with window(running.log) as seen:
            for _ in range(reads):
                objects.read(running.store, key)
        windows_seen.append(seen)
    return windows_seen


def counted(windows_seen: list[list[Request]]) -> list[tuple[set[str], int]]:
    return [({request.key for request in seen}, len(seen)) for seen in windows_seen]


def test_two_threads_never_count_each_others_requests(running: RunningStore) -> None:
    with ThreadPoolExecutor(2) as pool:
        a, b = (pool.submit(hammer, running, f"keys/{name}", windows=10, reads=5) for name in "ab")
    assert counted(a.result()) == [({"keys/a"}, 5)] * 10
    assert counted(b.result()) == [({"keys/b"}, 5)] * 10


IN_A_PROCESS = """
import sys
from lab.store import objects
from lab.store.running import RunningStore
from tests.window import window
running = RunningStore.from_json(sys.stdin.readline())
if sys.argv[1]:
    running = running.guest(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(10):
    with window(running.log) as seen:
        for _ in range(5):
            objects.read(running.store, sys.argv[2])
    print(sorted({request.key for request in seen}), len(seen))
"""


@pytest.mark.parametrize("guests", [False, True], ids=["one access key", "an access key each"])
def test_two_processes_never_count_each_others_requests(running: RunningStore, guests: bool) -> None:
    workers = {
        name: subprocess.Popen(
            [sys.executable, "-c", IN_A_PROCESS, f"guest-{name}" if guests else "", f"keys/{name}"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    }
    for worker in workers.values():
        assert worker.stdin
        assert worker.stdout
        print(running.to_json(), file=worker.stdin, flush=True)
        assert worker.stdout.readline() == "ready\n"
    printed = {}
    for worker in workers.values():
        assert worker.stdin
        print("go", file=worker.stdin, flush=True)
    for name, worker in workers.items():
        printed[name] = worker.communicate()[0].splitlines()
    assert printed == {name: [f"['keys/{name}'] 5"] * 10 for name in "ab"}


def test_requests_of_guests_are_separate_inside_one_window(moto_store: RunningStore) -> None:
    with_objects(moto_store)
    mine, yours = moto_store.guest("mine"), moto_store.guest("yours")
    assert mine.log
    assert yours.log
    with window(mine.log) as my_requests, window(yours.log) as your_requests:
        objects.read(mine.store, "keys/a")
        objects.read(yours.store, "keys/b")
        objects.read(moto_store.store, "keys/b")
    assert [request.key for request in my_requests] == ["keys/a"]
    assert [request.key for request in your_requests] == ["keys/b"]


def test_where_credentials_are_checked_a_guest_is_the_store_itself(minio_store: RunningStore) -> None:
    assert minio_store.guest("me").store == minio_store.store


def test_a_window_waits_for_another_processs_window(running: RunningStore) -> None:
    assert running.log
    lock = FileLock(running.log.locks / f"window-{running.log.access_key}.lock", timeout=0)
    with window(running.log), ThreadPoolExecutor(1) as pool, pytest.raises(TimeoutError):
        pool.submit(lock.acquire).result()


def test_no_authorization_and_no_secret_is_kept(running: RunningStore) -> None:
    assert running.log
    with window(running.log):
        objects.read(running.store, "keys/a")
        kept = str(running.log._fetch(running.log._mark(), 0)["entries"])
    assert running.store.secret_key not in kept
    assert "Signature" not in kept
    assert "AWS4-HMAC" not in kept


# The journal: what is kept of a request, and for how long.


def test_an_access_key_is_read_from_a_signature() -> None:
    header = "AWS4-HMAC-SHA256 Credential=ME/20230101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
    assert access_key_of(header) == "ME"


@pytest.mark.parametrize("header", ["", "Basic abc", "AWS4-HMAC-SHA256"])
def test_an_unsigned_request_has_no_access_key(header: str) -> None:
    assert access_key_of(header) is None


def test_a_marker_that_does_not_appear_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "PATIENCE", 0.01)
    with pytest.raises(TimeoutError, match="is not in the request log"):
        Journal().until(".window-1", None)


def test_a_window_longer_than_the_journal_is_reported_and_not_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "LONGEST", 10)
    kept = Journal()
    for key in ["a"] * 10 + [".window-1"]:
        kept.add(entry(key))
    with pytest.raises(IndexError, match="holds no more than 10 requests"):
        kept.until(".window-1", since=0)


def test_positions_stay_true_when_old_requests_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "LONGEST", 10)
    kept = Journal()
    for key in [f"k{i}" for i in range(12)] + [".window-1"]:
        kept.add(entry(key))
    position, listed = kept.until(".window-1", since=9)
    assert (position, [one["key"] for one in listed]) == (12, ["k9", "k10", "k11", ".window-1"])


def test_several_audit_documents_may_come_in_one_delivery() -> None:
    one = b'{"time":"2026-11-21T11:39:08.260418854Z","api":{"name":"GetObject","bucket":"b","object":"k"}}'
    assert [one_entry["key"] for one_entry in entries(one + b"\n\n" + one + b"\n")] == ["k", "k"]


def test_what_is_not_about_a_bucket_is_left_out() -> None:
    assert list(entries(b'{"time":"2026-11-21T11:39:08Z","api":{"name":"SiteReplicationInfo"}}')) == []


@pytest.mark.parametrize("gone", ["endpoint", "journal"])
def test_a_server_that_is_gone_is_one_sentence(running: RunningStore, gone: str) -> None:
    """A store that is killed in the middle of a run makes claims inconclusive."""
    assert running.log
    nobody = f"http://127.0.0.1:{free_port()}"
    answers_no_more = (
        replace(running.log, endpoint=nobody) if gone == "endpoint" else replace(running.log, journal=nobody)
    )
    said = rf"^The store at {nobody} does not answer \(ConnectionRefusedError\). Run again.$"
    with pytest.raises(Problem, match=said), window(answers_no_more):
        pass


def test_requests_that_are_lost_are_one_sentence(running: RunningStore) -> None:
    assert running.log
    with pytest.raises(
        Problem, match=rf"^The store at {running.log.endpoint} does not log its requests: .*holds no more"
    ):
        running.log._fetch(running.log._mark(), -1)
