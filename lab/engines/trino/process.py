"""Trino as a process on 127.0.0.1 that ends with this one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from lab.engines.trino.config import HEAP, LOG_LEVELS, as_properties, jvm_options, server_properties
from lab.engines.trino.handle import TrinoServer
from lab.engines.trino.install import install_trino
from lab.engines.trino.ready import USER, RunningTrino, wait_until_ready
from lab.stack.cache import Cache
from lab.stack.child import Child, free_port
from lab.stack.java import find_java
from lab.stack.versions import Trino

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
