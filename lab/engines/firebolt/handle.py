"""A Firebolt that can be used, in plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

CLOUD_API = "api.app.firebolt.io"


@dataclass(frozen=True)
class FireboltEngine:
    """Firebolt Core if `url` is set, else an engine of Firebolt's cloud, with a service account's credentials."""

    url: str = ""
    account: str = ""
    engine: str = ""
    database: str = ""
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    api: str = CLOUD_API

    @property
    def where(self) -> str:
        """For sentences: `Firebolt at http://127.0.0.1:3473`."""
        return f"Firebolt at {self.url}" if self.url else f"Firebolt's cloud (account {self.account})"

    def arguments(self) -> dict[str, Any]:
        """Arguments for `firebolt.db.connect`. Neither a token nor an engine's address is kept on disk."""
        from firebolt.client.auth.client_credentials import ClientCredentials
        from firebolt.client.auth.firebolt_core import FireboltCore

        if self.url:
            return {"auth": FireboltCore(), "url": self.url, "database": self.database or "firebolt"}
        return {
            "auth": ClientCredentials(self.client_id, self.client_secret, use_token_cache=False),
            "account_name": self.account,
            "engine_name": self.engine or None,
            "database": self.database or None,
            "api_endpoint": self.api,
            "disable_cache": True,
        }

    def words(self, error: BaseException) -> str:
        """The first line of an error, without the driver's heading and without our secret."""
        lines = [line.strip() for line in str(error).splitlines()]
        meaningful = [line for line in lines if line and line != "Error executing query:"]
        words = meaningful[0].removeprefix("- ") if meaningful else type(error).__name__
        return words.replace(self.client_secret, "****") if self.client_secret else words
