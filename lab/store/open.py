"""Opens the store of `--s3 moto | minio | https://…`."""

from __future__ import annotations

from lab.store.running import RunningStore
from lab.store.workspace import BUCKET
from xtable_audit.model.problem import Problem


def open_store(choice: str, bucket: str = BUCKET) -> RunningStore:
    """Starts or connects to the store of `--s3`. Raises Problem for an unknown value or an unusable store."""
    if choice == "moto":
        from lab.store import moto

        return moto.start(bucket)
    if choice == "minio":
        from lab.store import minio

        return minio.start(bucket)
    if choice.startswith(("http://", "https://")):
        from lab.store import remote

        return remote.connect(choice, bucket)
    raise Problem(f"--s3 {choice} is not known: use moto, minio, or the URL of an S3 (https://…)")
