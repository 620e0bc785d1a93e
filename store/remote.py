"""Any S3 that is already there: by its URL and the usual AWS environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import environ as process_environment

from stack.problem import Problem
from store.running import RunningStore
from store.s3 import BUCKET, Store


def connect(url: str, bucket: str = BUCKET, environ: Mapping[str, str] = process_environment) -> RunningStore:
    """The S3 at `url`, once it has shown that it lets us list, write and delete in `bucket`.

    It tells nobody who asked for what: `.log` is None, and the files a reader opened are unknown. Problems: no
    credential in the environment, an endpoint that does not answer, a bucket that is not there, a credential refused.
    """
    store = replace(Store.from_environment(environ, bucket), endpoint=url.rstrip("/"))
    if not store.access_key or not store.secret_key:
        raise Problem(f"{url} needs a credential: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    _prove(store)
    return RunningStore(store, log=None, name=url)


def _prove(store: Store) -> None:
    import uuid

    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError

    impatient = Config(connect_timeout=5, read_timeout=15, retries={"max_attempts": 1})
    settings = store.boto()
    key = f".probe-{uuid.uuid4().hex}"
    try:
        client = boto3.client(**settings | {"config": settings["config"].merge(impatient)})
        client.list_objects_v2(Bucket=store.bucket, MaxKeys=1)
        client.put_object(Bucket=store.bucket, Key=key, Body=b"")
        client.delete_object(Bucket=store.bucket, Key=key)
    except ClientError as refused:
        raise Problem(_sentence(refused.response["Error"], store)) from refused
    except (BotoCoreError, ValueError) as unreachable:
        raise Problem(f"{store.endpoint} does not answer as S3 ({unreachable}); check the URL") from unreachable


def _sentence(error: Mapping[str, str], store: Store) -> str:
    code = error.get("Code", "")
    if code == "NoSuchBucket":
        return f"bucket {store.bucket} is not at {store.endpoint}: create it, or name another"
    if code in ("InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"):
        return f"{store.endpoint} refuses the credential ({code}): check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    if code in ("AccessDenied", "403", "Forbidden"):
        return f"the credential may not list, write and delete in bucket {store.bucket} at {store.endpoint}: allow it"
    return (
        f"{store.endpoint} answers {code or 'an error'} for bucket {store.bucket}: {error.get('Message', '')}".strip()
    )
