"""Opens the store of `--s3 moto | minio | https://…`, or connects to it by a credential of the AWS chain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from lab.store.address import BUCKET, Workspace
from lab.store.running import RunningStore
from xtable_audit.access.access import by_default_chain
from xtable_audit.access.s3 import S3
from xtable_audit.model.problem import Problem


def connect(url: str, bucket: str = BUCKET) -> RunningStore:
    """Connects to the S3 at `url` and lists `bucket`. Writes nothing: the first write shows whether it is allowed.

    There is no request log: `.log` is None, and read files are unknown. Raises Problem if there is no credential, the
    endpoint does not answer, the bucket does not exist, or the credential is refused.
    """
    s3 = by_default_chain(url.rstrip("/"))
    store = Workspace(**{field.name: getattr(s3, field.name) for field in fields(S3)}, bucket=bucket)
    _check(store)
    return RunningStore(store, log=None, name=url)


def _check(store: Workspace) -> None:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError

    impatient = Config(connect_timeout=5, read_timeout=15, retries={"max_attempts": 1})
    settings = store.boto()
    try:
        client = boto3.client(**settings | {"config": settings["config"].merge(impatient)})
        client.list_objects_v2(Bucket=store.bucket, MaxKeys=1)
    except ClientError as refused:
        raise Problem(_sentence(refused.response["Error"], store)) from refused
    except (BotoCoreError, ValueError) as unreachable:
        raise Problem(f"{store.endpoint} does not answer as S3 ({unreachable}); check the URL") from unreachable


def _sentence(error: Mapping[str, str], store: Workspace) -> str:
    code = error.get("Code", "")
    if code == "NoSuchBucket":
        return f"bucket {store.bucket} is not at {store.endpoint}: create it, or name another"
    if code in ("InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"):
        return f"{store.endpoint} refuses the credential ({code}): check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    if code in ("AccessDenied", "403", "Forbidden"):
        return f"the credential may not list bucket {store.bucket} at {store.endpoint}: allow it"
    return (
        f"{store.endpoint} answers {code or 'an error'} for bucket {store.bucket}: {error.get('Message', '')}".strip()
    )


def open_store(choice: str, bucket: str = BUCKET) -> RunningStore:
    """Starts or connects to the store of `--s3`. Raises Problem for an unknown value or an unusable store."""
    if choice == "moto":
        from lab.store import moto

        return moto.start(bucket)
    if choice == "minio":
        from lab.store import minio

        return minio.start(bucket)
    if choice.startswith(("http://", "https://")):
        from lab.store import open

        return open.connect(choice, bucket)
    raise Problem(f"--s3 {choice} is not known: use moto, minio, or the URL of an S3 (https://…)")
