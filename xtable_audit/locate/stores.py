"""Read-only access to the store of an address: S3 and the local disk, Google Cloud Storage, Azure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import fs

from xtable_audit.access import access
from xtable_audit.access.access import S3_SCHEMES, Access
from xtable_audit.access.endpoint import demand_endpoints, relay_to
from xtable_audit.access.read_only import AnyKey, ReadOnly
from xtable_audit.access.s3 import S3
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem, Unreachable

AZURE = ("abfs", "abfss", "wasb", "wasbs")
GOOGLE = ("gs", "gcs")
LOCAL = ("", "file")
KNOWN = (*S3_SCHEMES, *GOOGLE, *AZURE, *LOCAL)
AT_ONCE = 64
"""Files that are read at once, by measurement (docs/measured.md, A slow store)."""
ACCOUNT = "adls.account-name"
OF_S3 = ("s3.", "client.access-key-id", "client.role-arn")
"""How the properties begin that say how a catalog's files in S3 are read."""
CHAINS = {**dict.fromkeys(GOOGLE, access.GOOGLE), **dict.fromkeys(AZURE, access.AZURE)}


@dataclass(frozen=True)
class AzureObjects(Objects):
    """`abfss://container@account.dfs.core.windows.net/key` becomes the path `container/key`."""

    def path(self, uri: str) -> str:
        parts = urlsplit(uri)
        return f"{parts.username or parts.netloc}{parts.path}"


@dataclass(frozen=True)
class Stores:
    """Access by the usual credentials of each store, or by the properties of a PyIceberg catalog (`s3.endpoint`, …)."""

    access: Access = field(default_factory=lambda: Access(guarded=True))
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)
    at_once: int = AT_ONCE
    """Requests that may be under way at once."""

    def objects(self, uri: str) -> Objects:
        """Read-only access to the store that holds `uri`. Raises Problem, also for an address of no known store."""
        scheme = scheme_of(uri)
        if scheme not in KNOWN:
            known = "s3://, gs://, abfss:// and file://"
            raise Problem(f"{uri} is in no store that can be read; tables are read from {known} and local paths")
        if scheme in LOCAL:
            return self._by_access(uri)
        # Arrow's client of S3 opens as many connections as there are threads, and 25 at least
        pa.set_io_thread_count(max(pa.io_thread_count(), self.at_once))
        return replace(self._remote(scheme, uri), at_once=self.at_once)

    def _remote(self, scheme: str, uri: str) -> Objects:
        if scheme in S3_SCHEMES and not tells_of_s3(self.properties):
            return self._by_access(uri)
        kind = AzureObjects if scheme in AZURE else Objects
        filesystem = self._by_pyiceberg(scheme, uri)
        if scheme in S3_SCHEMES and "client.role-arn" not in self.properties:
            s3 = S3.of_catalog(self.properties)
            return kind(fs.PyFileSystem(AnyKey(filesystem, s3, relay_to(s3.endpoint) if s3.endpoint else None)))
        return kind(fs.PyFileSystem(ReadOnly(filesystem)))

    def is_aws(self, uri: str) -> bool:
        """Whether `uri` is in AWS's own S3, which charges for requests."""
        named = self.properties.get("s3.endpoint") or (self.access.s3 or S3.from_environment()).endpoint
        return scheme_of(uri) in S3_SCHEMES and named is None

    def _by_access(self, uri: str) -> Objects:
        try:
            return self.access.objects(uri)
        except (Problem, OSError) as error:  # no credential, or no answer
            raise Unreachable(str(error)) from error

    def _by_pyiceberg(self, scheme: str, uri: str) -> fs.FileSystem:
        """The filesystem that PyIceberg makes of the properties."""
        from pyiceberg.io.pyarrow import PyArrowFileIO  # late: it takes 0.3 s

        demand_endpoints(self.properties)
        if scheme in CHAINS:
            CHAINS[scheme].demand(uri, self.properties)
        properties = dict(self.properties)
        account = urlsplit(uri).hostname
        if scheme in AZURE and account:
            properties.setdefault(ACCOUNT, account.partition(".")[0])
        if scheme in S3_SCHEMES and (endpoint := properties.get("s3.endpoint")):
            properties.setdefault("s3.proxy-uri", relay_to(endpoint))
        make: Callable[[str, str | None], fs.FileSystem] = PyArrowFileIO(properties).fs_by_scheme
        try:
            return make(scheme, urlsplit(uri).netloc)
        except (ImportError, ValueError, OSError) as error:
            raise Unreachable(f"{uri} cannot be reached: {error}") from error


def tells_of_s3(properties: Mapping[str, str]) -> bool:
    """Whether they are to be used, in place of the default chain."""
    return any(name.startswith(OF_S3) for name in properties)


def scheme_of(uri: str) -> str:
    """The scheme in small letters; "" for a path."""
    scheme, separator, _ = uri.partition("://")
    return scheme.lower() if separator else ("file" if uri.startswith("file:") else "")
