"""The object store as one frozen object, from which all Spark, XTable and reader settings derive."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit

CONNECTIONS = 64
"""Of a client of botocore: as many files are read at once (docs/measured.md, A slow store)."""
PATIENCE = 60.0
"""Seconds to wait for an answer. Arrow's default is three, which a store on a busy machine may exceed."""


@dataclass(frozen=True)
class S3:
    """An S3 endpoint and a credential for it.

    `endpoint` is None for AWS itself. Requests are path-style, as moto and MinIO require.
    """

    endpoint: str | None
    access_key: str
    """Empty for public buckets."""
    secret_key: str = field(repr=False)
    region: str = "us-east-1"
    session_token: str | None = field(default=None, repr=False)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """The S3 that the usual AWS variables describe (AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID, …)."""
        return cls(
            endpoint=environ.get("AWS_ENDPOINT_URL_S3") or environ.get("AWS_ENDPOINT_URL"),
            access_key=environ.get("AWS_ACCESS_KEY_ID", ""),
            secret_key=environ.get("AWS_SECRET_ACCESS_KEY", ""),
            region=environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or "us-east-1",
            session_token=environ.get("AWS_SESSION_TOKEN"),
        )

    @classmethod
    def of_catalog(cls, properties: Mapping[str, str]) -> Self:
        """The S3 that the properties of a PyIceberg FileIO describe (s3.endpoint, s3.access-key-id, …)."""

        def setting(name: str) -> str:
            return properties.get(f"s3.{name}") or properties.get(f"client.{name}") or ""

        return cls(
            endpoint=properties.get("s3.endpoint"),
            access_key=setting("access-key-id"),
            secret_key=setting("secret-access-key"),
            region=setting("region") or "us-east-1",
            session_token=setting("session-token") or None,
        )

    @property
    def tls(self) -> bool:
        return self.endpoint is None or urlsplit(self.endpoint).scheme == "https"

    @property
    def host(self) -> str | None:
        """`host:port` without the scheme, as DuckDB requires."""
        return urlsplit(self.endpoint).netloc if self.endpoint else None

    def environment(self) -> dict[str, str]:
        """The usual AWS variables, for a child process."""
        variables = {
            "AWS_ENDPOINT_URL_S3": self.endpoint,
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "AWS_REGION": self.region,
            "AWS_SESSION_TOKEN": self.session_token,
        }
        return {name: value for name, value in variables.items() if value}

    def hadoop(self) -> dict[str, str]:
        """Hadoop S3A settings, for Spark (each prefixed `spark.hadoop.`) and for XTable."""
        settings = {
            "fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
            "fs.s3a.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
            "fs.s3a.endpoint.region": self.region,
            "fs.s3a.path.style.access": "true",
            "fs.s3a.connection.ssl.enabled": str(self.tls).lower(),
            "fs.s3a.access.key": self.access_key,
            "fs.s3a.secret.key": self.secret_key,
            "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        }
        if self.endpoint:
            settings["fs.s3a.endpoint"] = self.endpoint
        if self.session_token:
            settings["fs.s3a.session.token"] = self.session_token
            settings["fs.s3a.aws.credentials.provider"] = "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider"
        return settings

    def pyiceberg(self) -> dict[str, str]:
        """PyIceberg FileIO properties."""
        properties = {
            "s3.endpoint": self.endpoint,
            "s3.access-key-id": self.access_key,
            "s3.secret-access-key": self.secret_key,
            "s3.session-token": self.session_token,
            "s3.region": self.region,
        }
        ours = {"s3.force-virtual-addressing": "False", "s3.request-timeout": str(PATIENCE)}
        return {name: value for name, value in properties.items() if value} | ours

    def object_store(self) -> dict[str, str]:
        """Options of the Rust crate object_store, on which delta-rs, hudi-rs and Polars are built."""
        options = {
            "aws_access_key_id": self.access_key,
            "aws_secret_access_key": self.secret_key,
            "aws_session_token": self.session_token,
            "aws_endpoint": self.endpoint,
            "aws_region": self.region,
            "aws_allow_http": "" if self.tls else "true",
            "aws_skip_signature": "" if self.access_key else "true",
        }
        return {name: value for name, value in options.items() if value}

    def delta(self, root: str) -> tuple[str, dict[str, str]]:
        """Where delta-rs finds a table, and the options of its object store."""
        return root, self.object_store()

    def arrow(self) -> dict[str, Any]:
        """Arguments for `pyarrow.fs.S3FileSystem`."""
        return {
            "endpoint_override": self.host,
            "scheme": "https" if self.tls else "http",
            "access_key": self.access_key,
            "secret_key": self.secret_key,
            "session_token": self.session_token,
            "region": self.region,
            "request_timeout": PATIENCE,
        }

    def botocore(self, proxy: str | None = None) -> Any:
        """A client that reads. Without keys, it reads public buckets."""
        from botocore import UNSIGNED
        from botocore.config import Config
        from botocore.session import Session

        arguments = self.boto()
        ours = Config(
            proxies={"http": proxy, "https": proxy} if proxy else None,
            connect_timeout=PATIENCE,
            read_timeout=PATIENCE,
            max_pool_connections=CONNECTIONS,
            **({} if self.access_key else {"signature_version": UNSIGNED}),
        )
        return Session().create_client(**arguments | {"config": arguments["config"].merge(ours)})

    def boto(self) -> dict[str, Any]:
        """Arguments for `boto3.client`."""
        from botocore.config import Config

        return {
            "service_name": "s3",
            "endpoint_url": self.endpoint,
            "aws_access_key_id": self.access_key,
            "aws_secret_access_key": self.secret_key,
            "aws_session_token": self.session_token,
            "region_name": self.region,
            "config": Config(s3={"addressing_style": "path"}, retries={"max_attempts": 2}),
        }
