"""The workspace: the bucket in which the suite writes and deletes."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from xtable_audit.access.s3 import S3

BUCKET = "xtable-audit"


@dataclass(frozen=True)
class Workspace(S3):
    """The suite's own bucket. `store.objects` puts and deletes its objects."""

    bucket: str = BUCKET

    def uri(self, key: str) -> str:
        """`s3://bucket/key`, the spelling in every table the suite writes."""
        return f"s3://{self.bucket}/{key.strip('/')}"

    def key(self, uri: str) -> str:
        """The object key of an `s3://` or `s3a://` address. Raises ValueError for another bucket."""
        parts = urlsplit(uri)
        if parts.netloc != self.bucket:
            raise ValueError(f"{uri} is not in bucket {self.bucket}")
        return uri.split(self.bucket + "/", 1)[1]
