"""Trino started here, as a process or as a container, and awaited until it answers; the reason if it does not."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from trino.exceptions import TrinoQueryError

from lab.engines.trino.client import Client, TrinoServer
from lab.engines.trino.install import HEAP, LOG_LEVELS, as_properties, install_trino, jvm_options, server_properties
from lab.servers.child import Child, free_port
from lab.servers.containers import Container
from lab.stack.cache import Cache
from lab.stack.java import find_java
from lab.stack.versions import Trino
from xtable_audit.model.problem import Problem

READY_IN = 180.0
"""Seconds to wait for a first answer: it takes 13 s on an idle machine of two cores, 45 s on a busy one."""
USER = "audit"


@dataclass(frozen=True)
class RunningTrino:
    server: TrinoServer
    version: str
    scratch: str
    """A folder that Trino may write to, as Trino sees it; gone once it is stopped."""
    stop: Callable[[], None] = field(repr=False, compare=False)


def wait_until_ready(child: Child | Container, server: TrinoServer, report: Callable[[str], None]) -> str:
    """The version it reports, once it answers a query. If it does not, it is stopped, and this raises Problem."""
    try:
        with Client(server) as client:
            child.wait_until(_Ready(client, lambda seconds: report(f"starting Trino, {seconds} s")), READY_IN)
            return str(client.version())
    except BaseException as problem:
        child.stop()
        if isinstance(problem, Problem) and (cause := reason(child.log.read_text(errors="replace"))):
            raise Problem(f"Trino did not start: {cause} Its log: {child.log}") from problem
        raise


class _Ready:
    """Whether Trino answers a query; shows the seconds waited so far."""

    def __init__(self, client: Client, report: Callable[[int], None]) -> None:
        self._client = client
        self._report = report
        self._since = time.monotonic()
        self._reported = -1

    def __call__(self) -> bool:
        if (seconds := int(time.monotonic() - self._since)) > self._reported:
            self._report(seconds)
            self._reported = seconds
        try:
            return self._client.version() is not None and self._client.run("SELECT 1").rows == [[1]]
        except (Problem, TrinoQueryError):  # nobody listens yet, or no worker has joined
            return False


def reason(log: str) -> str | None:
    """Why a Trino ended, by its log: the first error in its configuration, else the root of its last exception."""
    if configuration := re.search(r"^1\) (?!\[)(.+)$", log, re.MULTILINE):  # [Guice/…] says nothing to a user
        return configuration[1].strip()
    causes = re.findall(r"^Caused by: (?!.*\(same stack trace)(.+)$", log, re.MULTILINE)
    causes = causes or re.findall(r"\bERROR\b:? *(.+)$", log, re.MULTILINE)
    return " ".join(causes[-1].split()) if causes else None  # between the fields of a line Trino has tabs


MAIN = "io.trino.server.TrinoServer"


def start_process(wanted: Trino, logs: Path, cache: Cache, report: Callable[[str], None]) -> RunningTrino:
    """Installs what is missing, `logs`/trino.log its log. Raises Problem if it is not available."""
    home = install_trino(wanted, cache, report)
    report(f"looking for Java {wanted.java}")
    java = find_java(wanted.java, cache) / "bin" / "java"
    port = free_port()
    log = logs / "trino.log"
    server = TrinoServer(f"http://127.0.0.1:{port}", USER, log=str(log))
    scratch = Path(tempfile.mkdtemp(prefix="trino-"))
    config = _configured(scratch, home, port)
    child = Child("Trino", command(java, home, config), log=log, scratch=scratch, folder=scratch)
    return RunningTrino(server, wait_until_ready(child, server, report), str(scratch), child.stop)


def command(java: Path, home: Path, config: Path) -> list[str]:
    """What Trino's launcher would run. The JVM itself raises its limit of open files, and Trino requires 4096."""
    return [str(java), *jvm_options(HEAP), f"-Dconfig={config}", "-cp", f"{home / 'lib'}/*", MAIN]


def _configured(scratch: Path, home: Path, port: int) -> Path:
    levels = scratch / "log.properties"
    levels.write_text(as_properties(LOG_LEVELS))
    settings = server_properties(port) | {"plugin.dir": str(home / "plugin"), "log.levels-file": str(levels)}
    config = scratch / "config.properties"
    config.write_text(as_properties(settings))
    return config


HEAP_OF_IMAGE = "1G"
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
            "jvm.config": "".join(f"{option}\n" for option in (*jvm_options(HEAP_OF_IMAGE), VECTOR)),
        }.items()
    }
