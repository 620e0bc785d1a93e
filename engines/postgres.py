"""PostgreSQL for Trino's JDBC catalog, as a container or as a process of this machine's or pip's programs."""

from __future__ import annotations

import secrets
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from stack.cache import Cache
from stack.child import free_port
from stack.versions import postgres_versions

READY_IN = 90.0
"""Seconds until a server that does not answer is given up: at a load of 20 both ways need 10."""

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    # Nothing in it outlives the run.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "shared_buffers": "16MB",
    "max_connections": "40",
}
_PROTOCOL_3 = 196608


@dataclass(frozen=True)
class Postgres:
    """A database and the one account that may enter it, by password."""

    host: str
    port: int
    database: str
    user: str
    password: str = field(repr=False)

    @property
    def jdbc_url(self) -> str:
        return f"jdbc:postgresql://{self.host}:{self.port}/{self.database}"

    def settings(self) -> list[str]:
        """The server's `-c name=value` arguments."""
        return [word for name, value in (*SETTINGS.items(), ("port", self.port)) for word in ("-c", f"{name}={value}")]

    def answers(self) -> bool:
        """Whether a server there takes connections: it answers a start-up message by asking for the password.

        The message is that of PostgreSQL's documentation, "Frontend/Backend Protocol", StartupMessage. While the
        server still starts it answers with an error.
        """
        words = b"".join(f"{word}\0".encode() for word in ("user", self.user, "database", self.database, ""))
        try:
            with socket.create_connection((self.host, self.port), timeout=2) as connection:
                connection.sendall(struct.pack("!ii", len(words) + 8, _PROTOCOL_3) + words)
                return connection.recv(1) == b"R"
        except OSError:
            return False


@dataclass(frozen=True)
class RunningPostgres:
    handle: Postgres
    stop: Callable[[], None] = field(repr=False, compare=False)
    """Ends the server and removes its data; may be called twice."""


def start_postgres(
    how: Literal["container", "process"], logs: Path, cache: Cache, tell: Callable[[str], None], setup: str = ""
) -> RunningPostgres:
    """An empty database on a free port of 127.0.0.1, `logs`/postgres.log its log. Dies with this process.

    `setup` is SQL that it runs before anybody can connect (`CREATE TABLE …;`), so that no driver is needed here.
    Raises Problem where it cannot be had.
    """
    handle = Postgres("127.0.0.1", free_port(), "postgres", "iceberg", secrets.token_urlsafe(24))
    log = logs / "postgres.log"
    if how == "container":
        stop = _container(handle, log, tell, setup)
    else:
        from engines.postgres_process import start

        stop = start(handle, log, cache, tell, setup)
    return RunningPostgres(handle, stop)


def _container(handle: Postgres, log: Path, tell: Callable[[str], None], setup: str) -> Callable[[], None]:
    """The official image. Its own default lets everybody on 127.0.0.1 in without a password: `--auth` ends that."""
    from stack.containers import Container

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
        tell=tell,
    )
    server.wait_until(handle.answers, READY_IN)
    return server.stop
