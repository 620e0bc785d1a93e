"""The port that a server is told to take is still free once it starts."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.stack import child
from lab.stack.child import PORTS, free_port
from xtable_audit.model.problem import Problem

EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", free_port()))
        yield other.getsockname()[1]


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
