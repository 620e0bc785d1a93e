from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath

import pytest

from lab.stack.download import fetch_reporting
from lab.stack.maven import NotServed, Repositories
from tests.stack.conftest import FakeMaven, Server

PATH = PurePosixPath("org/example/big/1.0/big-1.0.jar")


@pytest.fixture
def repositories(tmp_path: Path, installed: FakeMaven, server: Server) -> Repositories:
    return Repositories(installed.root, tmp_path / "cache", mirror=server.url)


def test_each_megabyte_is_shown(remote: FakeMaven, repositories: Repositories) -> None:
    served = remote.add("org.example:big:1.0")
    served.write_bytes(b"x" * 2_500_000)
    served.with_name("big-1.0.jar.sha1").write_text(hashlib.sha1(served.read_bytes()).hexdigest())
    reported: list[str] = []
    assert fetch_reporting(repositories, PATH, "Big 1.0", reported.append).stat().st_size == 2_500_000
    assert reported == ["downloading Big 1.0, 1 of 2 MB", "downloading Big 1.0, 2 of 2 MB"]


def test_what_is_on_this_machine_is_not_requested(
    installed: FakeMaven, repositories: Repositories, server: Server
) -> None:
    here = installed.add("org.example:big:1.0")
    assert fetch_reporting(repositories, PATH, "Big 1.0", print) == here
    assert not server.requested


def test_an_artefact_missing_from_the_repository_is_reported(repositories: Repositories) -> None:
    with pytest.raises(NotServed, match=r"big-1\.0\.jar is not there"):
        fetch_reporting(repositories, PATH, "Big 1.0", print)
