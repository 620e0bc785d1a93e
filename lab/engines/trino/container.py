"""Trino as a container on the host's own network, so that it listens on 127.0.0.1 and reaches the store there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lab.engines.trino.config import LOG_LEVELS, as_properties, jvm_options, server_properties
from lab.engines.trino.handle import TrinoServer
from lab.engines.trino.ready import USER, RunningTrino, wait_until_ready
from lab.stack.cache import Cache
from lab.stack.child import free_port
from lab.stack.containers import Container
from lab.stack.versions import Trino

HEAP = "1G"
"""The image carries every plugin, and loads them all."""
VECTOR = "--add-modules=jdk.incubator.vector"
"""From 481 on, Trino's check at start requires it."""
DATA = "/data/trino"
"""The image's own folder for what Trino writes."""


def start_container(wanted: Trino, logs: Path, cache: Cache, report: Callable[[str], None]) -> RunningTrino:
    """The pinned image, pulled if it is not here, `logs`/trino.log its log. Raises Problem if it is not available."""
    port = free_port()
    log = logs / "trino.log"
    server = TrinoServer(f"http://127.0.0.1:{port}", USER, log=str(log))
    container = Container("Trino", wanted.image, log=log, files=files(port), report=report)
    return RunningTrino(server, wait_until_ready(container, server, report), DATA, container.stop)


def files(port: int) -> dict[str, bytes]:
    """Trino's configuration files by their paths in the image."""
    properties = server_properties(port)
    node = {name: properties.pop(name) for name in list(properties) if name.startswith("node.")}
    return {
        f"/etc/trino/{name}": text.encode()
        for name, text in {
            "node.properties": as_properties(node | {"node.data-dir": DATA}),
            "config.properties": as_properties(properties),
            "log.properties": as_properties(LOG_LEVELS),
            "jvm.config": "".join(f"{option}\n" for option in (*jvm_options(HEAP), VECTOR)),
        }.items()
    }
