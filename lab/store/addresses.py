"""The addresses of a bucket's objects."""

from __future__ import annotations

from urllib.parse import urlsplit


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
