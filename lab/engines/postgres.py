"""PostgreSQL for Trino's JDBC catalog, as a container or a process, with this machine's programs or a wheel's."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lab.engines.postgres_process import READY_IN, Postgres, start
from lab.servers.child import free_port
from lab.stack.cache import Cache
from lab.stack.versions import postgres_versions


@dataclass(frozen=True)
class RunningPostgres:
    handle: Postgres
    stop: Callable[[], None] = field(repr=False, compare=False)
    """Ends the server and removes its data; may be called twice."""


def start_postgres(
    how: Literal["container", "process"], logs: Path, cache: Cache, report: Callable[[str], None], setup: str = ""
) -> RunningPostgres:
    """An empty database on a free port of 127.0.0.1, `logs`/postgres.log its log. Dies with this process.

    `setup` is SQL that runs before anybody can connect (`CREATE TABLE …;`), so that no driver is needed here.
    Raises Problem if it is not available.
    """
    handle = Postgres("127.0.0.1", free_port(), "postgres", "iceberg", secrets.token_urlsafe(24))
    log = logs / "postgres.log"
    stop = _container(handle, log, report, setup) if how == "container" else start(handle, log, cache, report, setup)
    return RunningPostgres(handle, stop)


def _container(handle: Postgres, log: Path, report: Callable[[str], None], setup: str) -> Callable[[], None]:
    """The official image. By default it lets everybody on 127.0.0.1 in without a password; `--auth` requires one."""
    from lab.servers.containers import Container

    server = Container(
        "PostgreSQL",
        postgres_versions().image,
        log=log,
        command=handle.settings(),
        environment={
            "POSTGRES_USER": handle.user,
            "POSTGRES_PASSWORD": handle.password,
            "POSTGRES_DB": handle.database,
            "POSTGRES_INITDB_ARGS": "--auth=scram-sha-256 --no-sync",
        },
        files={"/docker-entrypoint-initdb.d/setup.sql": setup.encode()} if setup else {},
        report=report,
    )
    server.wait_until(handle.answers, READY_IN)
    return server.stop
