"""A PostgreSQL that we start: its address, account and settings."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass, field

READY_IN = 90.0
"""Seconds to wait until the server answers: container and process need 10 at a load of 20."""

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    # Its data does not outlive the run.
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
    """A database and its one account, with a password."""

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
        """Whether the server takes connections: it answers a start-up message by requesting the password.

        The message is that of PostgreSQL's documentation, "Frontend/Backend Protocol", StartupMessage. While it
        is starting, the server answers with an error.
        """
        words = b"".join(f"{word}\0".encode() for word in ("user", self.user, "database", self.database, ""))
        try:
            with socket.create_connection((self.host, self.port), timeout=2) as connection:
                connection.sendall(struct.pack("!ii", len(words) + 8, _PROTOCOL_3) + words)
                return connection.recv(1) == b"R"
        except OSError:
            return False
