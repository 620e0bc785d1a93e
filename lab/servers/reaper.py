"""testcontainers' reaper: a container that removes those of a process which is gone, even by `kill -9`."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from threading import Lock

from testcontainers.core.container import Reaper
from testcontainers.core.labels import LABEL_SESSION_ID, SESSION_ID

from xtable_audit.model.problem import Problem

ANSWERS_IN = 20.0
"""Seconds."""
_ONE = Lock()
"""testcontainers makes a second one, and fails, if two threads start their first container at once."""


def have_reaper() -> None:
    """Starts it, if this process has none, and waits for its answer. Raises Problem.

    testcontainers waits for none. But Docker's proxy takes a connection before it reaches the reaper, and may drop it:
    who is killed then leaves containers.
    """
    with _ONE:
        if Reaper._instance is not None:
            return
        Reaper.get_instance()
        deadline = time.monotonic() + ANSWERS_IN
        while not _acknowledges():
            if time.monotonic() > deadline:
                Reaper.delete_instance()
                raise Problem(
                    f"Docker's reaper does not answer within {ANSWERS_IN:.0f} s; without it a killed run leaves its "
                    "containers. Run again, or set TESTCONTAINERS_RYUK_DISABLED=true."
                )
            time.sleep(0.2)
            _connect()


def _acknowledges() -> bool:
    assert Reaper._socket is not None
    try:
        return bool(Reaper._socket.recv(3) == b"ACK")
    except OSError:
        return False


def _connect() -> None:
    """Anew, as testcontainers does."""
    container = Reaper._container
    assert container is not None
    assert Reaper._socket is not None
    Reaper._socket.close()
    address = (container.get_container_host_ip(), int(container.get_exposed_port(8080)))
    with suppress(OSError):
        Reaper._socket = socket.create_connection(address, timeout=1)
        Reaper._socket.send(f"label={LABEL_SESSION_ID}={SESSION_ID}\r\n".encode())
