"""A store that redirects, that is slow or never ends: one sentence, in bounded time, and no request to another host."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from dataclasses import replace
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from rich.console import Console

from lab.stack.project import ROOT
from lab.store import objects
from lab.store.running import RunningStore
from tests.hostile.conftest import Hostile
from tests.hostile.stores import (
    Answer,
    a_byte_a_second,
    redirecting,
    serving,
    silent,
    trickling_data,
    with_content,
    without_end,
)
from xtable_audit.access.access import Access
from xtable_audit.access.confined import AllowedFolder, Confined
from xtable_audit.access.endpoint import EndpointRelay
from xtable_audit.access.s3 import S3
from xtable_audit.check.options import Options
from xtable_audit.check.run import check
from xtable_audit.cli.watch import Terminal
from xtable_audit.locate.locate import locate
from xtable_audit.locate.stores import Stores
from xtable_audit.model.problem import Unreachable
from xtable_audit.model.time_limits import Patience
from xtable_audit.report.document import Document

TABLE = "s3://lake/orders/metadata/v1.metadata.json"
SLOW: dict[str, Answer] = {"no answer": silent, "a byte a second": a_byte_a_second, "no end": without_end}


def at(endpoint: str) -> Stores:
    return Stores(Access(S3(endpoint, "somebody", "secret"), guarded=True))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_host_is_not_followed(status: int) -> None:
    with serving(with_content(b"{}")) as other, serving(redirecting(status, f"{other.endpoint}/latest")) as store:
        with pytest.raises(Unreachable) as refused:
            locate(TABLE, at(store.endpoint))
        assert (other.seen, store.seen != [], "\n" in str(refused.value)) == ([], True, False)


@pytest.mark.parametrize("answer", SLOW.values(), ids=SLOW)
def test_a_slow_store_is_given_up_in_one_sentence(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xtable_audit.model.objects.USUAL", 0)
    with serving(answer) as store:
        objects = at(store.endpoint).objects(TABLE)
        confined = Confined(
            objects.filesystem, folders=(AllowedFolder("s3://lake/orders", objects),), patience=Patience(1, 0)
        )
        with pytest.raises(Unreachable, match="the store is too slow, or never ends"):
            confined.read(TABLE)


def test_the_command_ends_though_the_store_does_not() -> None:
    script = (
        "import xtable_audit.locate.locate as locate; locate.SECONDS = 1.0\n"
        "import sys; from xtable_audit.cli.main import main\n"
        f"sys.argv = ['xtable-audit', 'check', '{TABLE}']; main()"
    )
    with serving(silent) as store:
        env = os.environ | S3(store.endpoint, "somebody", "secret").environment()
        ran = subprocess.run(
            [sys.executable, "-c", script], env=env, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False
        )
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (6, "", 1), ran.stderr


def put(hostile: Hostile, store: RunningStore, bucket: str) -> str:
    """The table in a bucket of its own; returns the address of its metadata.json."""
    lake = replace(store.store, bucket=bucket)
    objects.client(lake).create_bucket(Bucket=bucket)
    moved = f"s3://{bucket}/orders"
    listing, manifest = hostile.manifest_list, hostile.manifest
    hostile.change_entries(lambda entries: entries[0]["data_file"].update(file_path=f"{moved}/data/a.parquet"))
    hostile.change_manifests(
        lambda manifests: manifests[0].update(
            manifest_path=f"{moved}/metadata/m.avro", manifest_length=manifest.stat().st_size
        )
    )
    hostile.names_list(f"{moved}/metadata/list.avro")
    for file, key in (
        (hostile.data, "data/a.parquet"),
        (manifest, "metadata/m.avro"),
        (listing, "metadata/list.avro"),
        (hostile.metadata, "metadata/v1.metadata.json"),
    ):
        objects.write(lake, f"orders/{key}", file.read_bytes())
    return f"{moved}/metadata/v1.metadata.json"


def judged(location: str, endpoint: str, patience: Patience) -> Document:
    located = locate(location, at(endpoint))
    assert isinstance(located.objects, Confined)
    located = replace(located, objects=replace(located.objects, patience=patience))
    return check(located, Options(location), Terminal(Console(), asks=False, quiet=True))


def test_a_data_file_of_a_byte_a_second_is_inconclusive(hostile: Hostile, moto_store: RunningStore) -> None:
    location = put(hostile, moto_store, "slow-data")
    with serving(trickling_data(str(moto_store.store.endpoint))) as store:
        document = judged(location, store.endpoint, Patience(2.0, 0.0))
    why = [one.reason for one in document.claims if one.outcome == "inconclusive"]
    assert (document.exit_status, len(why)) == (6, 1)
    assert "a.parquet cannot be read: no end after" in str(why[0])


def test_a_table_behind_a_relay_is_judged_as_without(hostile: Hostile, moto_store: RunningStore) -> None:
    location = put(hostile, moto_store, "relayed")
    document = judged(location, str(moto_store.store.endpoint), Patience())
    assert document.exit_status in (0, 1)
    assert {one.claim for one in document.claims if one.outcome == "held"} >= {"bounds_contain_values"}


# the relay


def asked(relay: EndpointRelay, method: str, address: str) -> int:
    connection = HTTPConnection(urlsplit(relay.url).netloc, timeout=10)
    connection.request(method, address)
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize(
    ("method", "address"),
    [
        ("CONNECT", "169.254.169.254:443"),
        ("GET", "http://169.254.169.254/latest/meta-data"),
        ("GET", "http://127.0.0.1:1/"),
        ("GET", "/latest"),
        ("GET", "file:///etc/passwd"),
    ],
)
def test_the_relay_reaches_no_other_host(method: str, address: str) -> None:
    with serving(with_content(b"abc")) as store:
        assert (asked(EndpointRelay(store.endpoint), method, address), store.seen) == (403, [])


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE"])
def test_the_relay_passes_on_no_write(method: str) -> None:
    with serving(with_content(b"abc")) as store:
        assert (asked(EndpointRelay(store.endpoint), method, f"{store.endpoint}/a"), store.seen) == (501, [])


def test_the_relay_passes_on_a_read() -> None:
    with serving(with_content(b"abc")) as store:
        relay = EndpointRelay(store.endpoint)
        assert (asked(relay, "GET", f"{store.endpoint}/a?b=c%20d"), store.seen) == (200, ["GET /a?b=c%20d"])


def test_the_relay_passes_on_tls_as_it_is() -> None:
    """Bytes of a tunnel, whatever they are."""
    with serving(with_content(b"abc")) as store:
        host = urlsplit(store.endpoint)
        connection = HTTPConnection(urlsplit(EndpointRelay(f"https://{host.netloc}").url).netloc, timeout=10)
        connection.set_tunnel(str(host.hostname), host.port)
        connection.request("GET", "/a")
        assert connection.getresponse().read() == b"abc"
        connection.close()


def test_a_name_that_becomes_link_local_later_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    relay = EndpointRelay("http://innocent.example")
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", 80))]
    )
    with pytest.raises(PermissionError, match="link-local"):
        relay.connect()
