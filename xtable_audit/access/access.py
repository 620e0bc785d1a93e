"""Read-only access to any address: any bucket, or the local disk."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import lru_cache

from pyarrow import fs

from xtable_audit.access.credentials import by_default_chain
from xtable_audit.access.empty_components import AnyKey
from xtable_audit.access.read_only import ReadOnly
from xtable_audit.access.relay import relay_to
from xtable_audit.access.s3 import S3
from xtable_audit.model.objects import Objects

S3_SCHEMES = ("s3", "s3a", "s3n")


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
        return Objects(_of_bucket(self.credential, rest.partition("/")[0], self.guarded))

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
