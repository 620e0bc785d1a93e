"""Objects of a store, by folders: small boto3 helpers, threaded where it pays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from store.s3 import Store

THREADS = 8


_MAKING = Lock()


def client(store: Store) -> Any:
    """One boto3 client a store and process: it may be shared between threads, and takes long to make."""
    with _MAKING:
        return _client(store)


@lru_cache(maxsize=16)
def _client(store: Store) -> Any:
    import boto3

    return boto3.client(**store.boto())


def upload(store: Store, prefix: str, folder: Path) -> dict[str, int]:
    """Puts every file under `folder` at `prefix/relative/path`. Returns key -> size in bytes."""
    files = {_join(prefix, path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
    s3 = client(store)

    def put(key: str) -> None:
        with files[key].open("rb") as body:
            s3.put_object(Bucket=store.bucket, Key=key, Body=body)

    _each(put, files)
    return {key: path.stat().st_size for key, path in files.items()}


def restore(store: Store, prefix: str, folder: Path, spare: str = "") -> None:
    """Makes what lies under `prefix/` the files under `folder`, and leaves alone what lies under `prefix/<spare>/`."""
    wanted = {_join(prefix, path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    for key in list_objects(store, prefix):
        if key not in wanted and not (spare and key.startswith(_folder(f"{prefix}/{spare}"))):
            remove(store, key)
    upload(store, prefix, folder)


def download(store: Store, prefix: str, folder: Path) -> dict[str, Path]:
    """Gets every object under `prefix/` into `folder`, which is made. Returns key -> path."""
    files = {key: folder / key[len(_folder(prefix)) :] for key in list_objects(store, prefix)}
    for parent in {path.parent for path in files.values()}:
        parent.mkdir(parents=True, exist_ok=True)
    _each(lambda key: files[key].write_bytes(read(store, key)), files)
    return files


def list_objects(store: Store, prefix: str) -> dict[str, int]:
    """Key -> size in bytes of every object under `prefix/`; directory markers are left out."""
    pages = client(store).get_paginator("list_objects_v2").paginate(Bucket=store.bucket, Prefix=_folder(prefix))
    objects = (item for page in pages for item in page.get("Contents", ()))
    return {item["Key"]: item["Size"] for item in objects if not item["Key"].endswith("/")}


def read(store: Store, key: str) -> bytes:
    """One object, whole. Raises botocore's `NoSuchKey` where there is none."""
    body: bytes = client(store).get_object(Bucket=store.bucket, Key=key)["Body"].read()
    return body


def write(store: Store, key: str, content: bytes) -> None:
    """Puts one object."""
    client(store).put_object(Bucket=store.bucket, Key=key, Body=content)


def remove(store: Store, key: str) -> None:
    """Deletes one object."""
    client(store).delete_object(Bucket=store.bucket, Key=key)


def delete(store: Store, prefix: str) -> int:
    """Deletes every object under `prefix/`. Returns how many."""
    keys = list(list_objects(store, prefix))
    for batch in _batches(keys, 1000):  # S3's limit a request
        client(store).delete_objects(
            Bucket=store.bucket, Delete={"Objects": [{"Key": key} for key in batch], "Quiet": True}
        )
    return len(keys)


def _each(action: Any, keys: Iterable[str]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(action, keys))


def _batches(keys: list[str], size: int) -> Iterator[list[str]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))


def _folder(prefix: str) -> str:
    return prefix.strip("/") + "/"


def _join(prefix: str, relative: Path) -> str:
    return _folder(prefix) + relative.as_posix()
