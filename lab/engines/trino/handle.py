"""What a reader in another process needs to use a Trino: plain values only."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class TrinoServer:
    """A Trino's address and user. `url` is `http://host:port`; Trino takes a password over https only."""

    url: str
    user: str
    password: str | None = field(default=None, repr=False)
    log: str | None = None
    """Its log file on this machine; None for a Trino that somebody else started."""


@dataclass(frozen=True)
class JdbcCatalogs:
    """Each reader gets a catalog of its own in a database with Iceberg's two tables (`lab.engines.trino.install`)."""

    url: str
    """`jdbc:postgresql://host:port/database`."""
    user: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class FileCatalogs:
    """Each reader gets a catalog of its own that keeps a few small files a table: Trino's own metastore for tests."""

    folder: str
    """`local:///…` below `local_root`, or `s3://bucket/…`; a folder a catalog is made in it."""
    local_root: str | None = None
    """A folder as Trino sees it. None where `folder` is in S3."""


@dataclass(frozen=True)
class NessieCatalogs:
    """Each reader gets a catalog of its own on one Nessie."""

    uri: str
    """As `NessieServer.uri`: it ends in `/api/v2`."""


@dataclass(frozen=True)
class GivenCatalog:
    """A catalog of the user's, with its own credentials for S3: each reader gets a schema in it."""

    name: str


Catalogs = JdbcCatalogs | FileCatalogs | NessieCatalogs | GivenCatalog


@dataclass(frozen=True)
class TrinoHandle:
    server: TrinoServer
    version: str
    catalogs: Catalogs
    prefix: str
    """Prefix of the name of every catalog (every schema in a GivenCatalog) that this run creates."""

    @property
    def watched(self) -> bool:
        """Whether its requests to S3 carry the reader's own access key, so that the log separates readers."""
        return not isinstance(self.catalogs, GivenCatalog)
