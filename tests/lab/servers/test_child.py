"""Servers that are started: on a port that is still free, and ended with what started them."""

from __future__ import annotations

import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.servers import child
from lab.servers.child import PORTS, free_port
from lab.servers.server import Server
from lab.stack.project import ROOT
from xtable_audit.model.problem import Problem

EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", free_port()))
        yield other.getsockname()[1]


class Ended(Server):
    """A server that has ended."""

    name = "Engine"
    running = False

    def __init__(self, log: Path) -> None:
        self.log = log

    def stop(self) -> None:
        """It has ended."""

    def _end(self) -> str:
        return "exit code 1."


# The port that a server should take is still free once it starts.


def test_a_taken_port_is_passed_over(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    another = free_port()
    tried = iter([taken, another])
    monkeypatch.setattr(secrets, "choice", lambda _: next(tried))
    assert free_port() == another


def test_without_a_free_port_it_is_one_sentence(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "PORTS", range(taken, taken + 1))
    with pytest.raises(Problem, match=f"No port of 127.0.0.1 from {taken} to {taken} is free"):
        free_port()


@pytest.mark.skipif(not EPHEMERAL.is_file(), reason=f"this system has no {EPHEMERAL}")
def test_no_port_is_ephemeral() -> None:
    """Machines whose range was widened by their owner are the exception."""
    first, last = map(int, EPHEMERAL.read_text().split())
    if first < 32_768:
        pytest.skip(f"this machine has the ports from {first} to {last} as ephemeral ones")
    assert PORTS[-1] < first


@pytest.mark.parametrize(
    ("log_text", "last"),
    [
        ("", "exit code 1."),
        ("hello\ngood bye\n\n", "good bye"),
        ("FATAL: the disk is full\nshut down\n", "FATAL: the disk is full"),
        ("bind: Address already in use\nFATAL: no socket\nshut down\n", "bind: Address already in use"),
        ("11:02\tERROR\tmain\tio.Server\tno disk\nshut down\n", "11:02 ERROR main io.Server no disk"),
    ],
)
def test_the_last_words_are_the_line_with_the_reason(tmp_path: Path, log_text: str, last: str) -> None:
    log = tmp_path / "engine.log"
    log.write_text(log_text)
    assert Ended(log).last_words() == last


# What is started ends with its parent.


def test_a_program_ends_with_its_parent_and_its_scratch_is_removed(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "lab.servers.ends_with_parent", "--remove", str(scratch), "--", "sleep", "60"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
    )
    process.communicate(timeout=15)
    assert not scratch.exists()
