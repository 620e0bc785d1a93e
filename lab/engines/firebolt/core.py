"""Firebolt Core in a container, with the run's store as its S3."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from lab.engines.firebolt.handle import FireboltEngine
from lab.engines.firebolt.probe import is_ready
from lab.engines.relay import reachable_from_container
from lab.stack.child import free_port
from lab.stack.containers import LOOPBACK, Container
from lab.stack.versions import firebolt
from xtable_audit.access.s3 import S3

PORT = 3473
"""Inside: SQL over HTTP. The ports for metrics and other nodes are not published."""
CONFIG = "/var/lib/firebolt/config.yaml"
MEMLOCK = 8 << 30
"""Bytes it may lock for io_uring, as its own start script gives it."""
READY_IN = 180.0
"""Seconds to wait until a Core takes queries."""


def start_core(store: S3, logs: Path, report: Callable[[str], None]) -> tuple[FireboltEngine, Callable[[], None]]:
    """The engine on a free port of 127.0.0.1, and what ends it. Raises Problem if Docker or the engine refuses."""
    port = free_port()
    url = f"http://{LOOPBACK}:{port}"
    with ExitStack() as undo:
        endpoint, unlink = reachable_from_container(store)
        undo.callback(unlink)
        core = Container(
            "Firebolt Core",
            firebolt().image,
            log=logs / "firebolt.log",
            environment=credentials(store),
            files={CONFIG: config(endpoint, store.region)},
            ports={PORT: port},
            report=report,
            **privileges(),
        )
        undo.callback(core.stop)
        core.wait_until(lambda: is_ready(url), READY_IN)
        return FireboltEngine(url=url), undo.pop_all().close
    raise AssertionError("unreachable")


def config(endpoint: str, region: str) -> bytes:
    """The engine's config.yaml. An unknown key stops the engine. The S3 endpoint is set here, never in a query."""
    # source: firebolt-core, examples/s3_compatible_storage.md, for 5.0.0-pre.0.20260815 and newer
    return f"""schema_version: "1.0"
endpoints:
  http:
    listeners:
      - {{ type: tcp, port: {PORT} }}
      - {{ type: unix, path: /run/firebolt/query_endpoint }}
storage:
  aws:
    endpoint: {json.dumps(endpoint)}
    region: {json.dumps(region)}
    path_style_addressing: true
""".encode()


def credentials(store: S3) -> dict[str, str]:
    """The engine's own credentials; each reader's queries carry the reader's."""
    given = {
        "AWS_ACCESS_KEY_ID": store.access_key,
        "AWS_SECRET_ACCESS_KEY": store.secret_key,
        "AWS_SESSION_TOKEN": store.session_token,
    }
    return {name: value for name, value in given.items() if value}


def privileges() -> dict[str, Any]:
    """Docker's defaults forbid io_uring and limit the memory that it locks; Core needs both."""
    from docker.types import Ulimit

    return {
        "security_opt": ["seccomp=unconfined"],
        "ulimits": [Ulimit(name="memlock", soft=MEMLOCK, hard=MEMLOCK)],
    }
