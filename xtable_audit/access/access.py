"""Read-only access to any address: any bucket, by the credentials that are found there, or the local disk."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from pyarrow import fs

from xtable_audit.access.endpoint import relay_to
from xtable_audit.access.read_only import AnyKey, ReadOnly
from xtable_audit.access.s3 import S3
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem, Unreachable


def by_default_chain(endpoint: str | None = None, profile: str | None = None) -> S3:
    """The S3 at `endpoint` (None: that of AWS_ENDPOINT_URL_S3, else AWS itself) with the credential of boto's chain.

    `profile` is None for that of AWS_PROFILE, or none. Temporary credentials are not renewed. Raises Problem if the
    chain finds no credential, or an unusable one.
    """
    from botocore.exceptions import BotoCoreError  # late: a local table needs none of it
    from botocore.session import Session

    try:
        session = Session(profile=profile)
        found = session.get_credentials()
        frozen = found.get_frozen_credentials() if found else None
        region = os.environ.get("AWS_REGION") or session.get_config_variable("region")
    except BotoCoreError as error:
        raise Problem(f"the AWS credential cannot be used: {error}") from error
    if frozen is None or not frozen.access_key or not frozen.secret_key:
        raise Problem(
            f"{endpoint or 'S3'} needs a credential: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
        )
    environment = S3.from_environment()
    return replace(
        environment,
        endpoint=endpoint or environment.endpoint,
        access_key=frozen.access_key,
        secret_key=frozen.secret_key,
        session_token=frozen.token,
        region=region or environment.region,
    )


SECONDS = 2.0
"""For a machine of the cloud to answer, which has a credential of its own."""
GOOGLES_FILE = "GOOGLE_APPLICATION_CREDENTIALS"
Environment = Mapping[str, str]


@dataclass(frozen=True)
class Chain:
    """`properties` are those of PyIceberg's that hold a credential, without which the client goes by the default."""

    properties: tuple[str, ...]
    found: Callable[[Environment], bool]
    advice: str

    def demand(self, uri: str, properties: Mapping[str, str], environment: Environment = os.environ) -> None:
        """Raises Unreachable if nothing in the environment holds a credential for `uri`, and no property does."""
        if not any(properties.get(name) for name in self.properties) and not self.found(environment):
            raise Unreachable(f"{uri} needs a credential, and none is found: {self.advice}")


def _googles(environment: Environment) -> bool:
    if named := environment.get(GOOGLES_FILE):
        if not Path(named).is_file():
            raise Unreachable(f"{GOOGLES_FILE} names {named}, which is no file")
        return True
    users = Path(environment.get("HOME", "~")).expanduser() / ".config/gcloud/application_default_credentials.json"
    return users.is_file() or _answers(environment.get("GCE_METADATA_ROOT", "metadata.google.internal"))


def _azures(environment: Environment) -> bool:
    named = ("AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE", "IDENTITY_ENDPOINT", "MSI_ENDPOINT")
    if any(environment.get(name) for name in named) or shutil.which("az", path=environment.get("PATH", "")):
        return True
    return _answers("169.254.169.254")


def _answers(host: str) -> bool:
    name, _, port = host.partition(":")
    with suppress(OSError), socket.create_connection((name, int(port or 80)), SECONDS):
        return True
    return False


GOOGLE = Chain(
    ("gcs.oauth2.token",),
    _googles,
    f"run `gcloud auth application-default login`, or set {GOOGLES_FILE} to the file of a service account; of a "
    "catalog, set gcs.oauth2.token",
)
AZURE = Chain(
    ("adls.account-key", "adls.sas-token", "adls.client-secret"),
    _azures,
    "run `az login`, or set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET; of a catalog, set "
    "adls.account-key or adls.sas-token",
)

S3_SCHEMES = ("s3", "s3a", "s3n")
AT_ONCE = 8
"""Small files that are read at once: fewer than Arrow's client opens connections."""


@dataclass(frozen=True)
class Access:
    """Read access by address: `s3://bucket/key` (s3a and s3n too), `file:///path`, or a path.

    `s3` is None for AWS with the credential of the default chain. The first `s3://` address resolves it, which may
    raise Problem. An `s3` without keys reads public buckets.
    """

    s3: S3 | None = None
    guarded: bool = False
    """Whether an endpoint that is not AWS's own is reached by a relay, so that no redirect leads to another host."""

    def objects(self, uri: str) -> Objects:
        """The judge's access to a table whose files are in the bucket of `uri`, or on the local disk.

        Raises ValueError for a scheme that is neither.
        """
        scheme, separator, rest = uri.partition("://")
        if not separator or scheme == "file":
            return Objects(_read_only(fs.LocalFileSystem()))
        if scheme not in S3_SCHEMES:
            raise ValueError(f"{uri} is neither an s3:// address nor a local path")
        return Objects(_of_bucket(self.credential, rest.partition("/")[0], self.guarded), at_once=AT_ONCE)

    @property
    def credential(self) -> S3:
        """Raises Problem if the default chain finds none."""
        return self.s3 or _default(frozenset(item for item in os.environ.items() if item[0].startswith("AWS_")))

    def read(self, uri: str) -> bytes:
        """The content of one file. Raises FileNotFoundError, or another error of Arrow."""
        with self.objects(uri).open(uri) as stream:
            return bytes(stream.read())

    def size(self, uri: str) -> int | None:
        """Size of one file in bytes; None if it does not exist. Raises Malformed if the store does not report it."""
        return self.objects(uri).size(uri)

    def exists(self, uri: str) -> bool:
        return self.size(uri) is not None

    def list(self, uri: str) -> dict[str, int]:
        """Address -> size in bytes of every file below the folder `uri`; empty if the folder does not exist."""
        objects, folder = self.objects(uri), uri.rstrip("/")
        path = objects.path(folder)
        infos = objects.filesystem.get_file_info(fs.FileSelector(path, recursive=True, allow_not_found=True))
        return {f"{folder}{info.path.removeprefix(path)}": info.size for info in infos if info.type == fs.FileType.File}


@lru_cache(maxsize=8)
def _default(environment: frozenset[tuple[str, str]]) -> S3:
    """What the chain finds is kept as long as AWS's variables stay as they are: a container's answer takes time."""
    return by_default_chain()


@lru_cache(maxsize=64)
def _of_bucket(s3: S3, bucket: str, guarded: bool) -> fs.FileSystem:
    """The filesystem of a bucket. On AWS it needs the bucket's region, which Arrow looks up without a credential."""
    proxy = relay_to(s3.endpoint) if guarded and s3.endpoint else None
    if s3.endpoint is None:
        s3 = replace(s3, region=fs.resolve_s3_region(bucket))
    settings = s3.arrow() | ({"proxy_options": proxy} if proxy else {})
    if not s3.access_key:
        settings |= {"anonymous": True, "access_key": None, "secret_key": None, "session_token": None}
    return fs.PyFileSystem(AnyKey(fs.S3FileSystem(**settings), s3, proxy))


def _read_only(filesystem: fs.FileSystem) -> fs.FileSystem:
    return fs.PyFileSystem(ReadOnly(filesystem))
