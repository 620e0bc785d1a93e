"""Where the suite writes: one bucket of an S3, which it may fill and empty as it likes."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from store.s3 import S3

BUCKET = "xtable-audit"


@dataclass(frozen=True)
class Workspace(S3):
    """A bucket of the suite's own. `store.objects` puts, copies and deletes what lies in it."""

    bucket: str = BUCKET

    def uri(self, key: str) -> str:
        """`s3://bucket/key`, the one spelling used in every table the suite writes."""
        return f"s3://{self.bucket}/{key.strip('/')}"

    def key(self, uri: str) -> str:
        """The object key of an `s3://` or `s3a://` address in this bucket."""
        parts = urlsplit(uri)
        if parts.netloc != self.bucket:
            raise ValueError(f"{uri} is not in bucket {self.bucket}")
        return uri.split(self.bucket + "/", 1)[1]
