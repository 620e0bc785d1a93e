"""The addresses of a table, of a bucket's objects, and of the workspace, the bucket in which the suite writes."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from xtable_audit.access.s3 import S3

TABLES = "tables"
"""The folder of all tables in a bucket."""


def root_of(bucket: str) -> str:
    """The address of the folder of all tables in that bucket."""
    return f"s3://{bucket}/{TABLES}"


def prefix_of(table: str) -> str:
    """The table's prefix in the run's bucket."""
    return f"{TABLES}/{table}"


class Addresses:
    """What has a bucket, and so addresses for keys in it."""

    bucket: str

    def uri(self, key: str) -> str:
        """`s3://bucket/key`, the spelling in every table the suite writes."""
        return f"s3://{self.bucket}/{key.strip('/')}"

    def key(self, uri: str) -> str:
        """The object key of an `s3://` or `s3a://` address. Raises ValueError for another bucket."""
        parts = urlsplit(uri)
        if parts.netloc != self.bucket:
            raise ValueError(f"{uri} is not in bucket {self.bucket}")
        return uri.split(self.bucket + "/", 1)[1]


class LocalAddresses(Addresses):
    """The same keys at addresses of the local disk, whose root has no such folder: a mount does (`MountedLocally`)."""

    def uri(self, key: str) -> str:
        """`file:/bucket/key`, as Hadoop spells it."""
        return f"file:/{self.bucket}/{key.strip('/')}"


@dataclass(frozen=True)
class LocalBucket(LocalAddresses):
    bucket: str


BUCKET = "xtable-audit"


@dataclass(frozen=True)
class Workspace(S3, Addresses):
    """The suite's own bucket. `lab.store.objects` puts and deletes its objects."""

    bucket: str = BUCKET
