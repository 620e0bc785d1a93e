"""A server program as a child process: it ends with this process, logs to a file, and is awaited until ready."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from lab.servers.server import Server
from lab.stack.project import ROOT
from xtable_audit.model.problem import Problem

PORTS = range(20_000, 32_768)
"""Below the ephemeral ports of Linux and macOS, which any client may get while a server still starts."""


class Child(Server):
    """A running server. It ends with this process, even after `kill -9`, and `scratch`, its data, goes with it."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        log: Path,
        scratch: Path,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        """Starts `command` (an absolute program) in `folder`. `log` receives its output; keep it out of `scratch`."""
        self.name = name
        self.log = log
        self._output = log.open("w")
        at = ["--in", str(folder)] if folder else []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lab.servers.ends_with_parent", "--remove", str(scratch), *at, "--", *command],
            cwd=ROOT,
            env={**os.environ, **(environment or {}), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for the run, which needs its servers until it has finished cleanly
        )

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """Ends the server and waits for it. May be called twice."""
        self._process.communicate()  # closes its standard input, which ends it
        self._output.close()

    def _end(self) -> str:
        return f"exit code {self._process.poll()}."


def free_port() -> int:
    """A TCP port of 127.0.0.1 that is free now, and no ephemeral one, which another program may get first.

    Raises Problem if none is.
    """
    for _ in PORTS:
        port = secrets.choice(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise Problem(f"No port of 127.0.0.1 from {PORTS[0]} to {PORTS[-1]} is free.")
