"""boto3 helpers for the objects of a store, by folder; uploads and downloads are threaded."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from lab.store.address import Workspace
from xtable_audit.model.problem import Problem

THREADS = 8
REFUSED = ("AccessDenied", "403", "Forbidden", "AllAccessDisabled", "MethodNotAllowed")
"""Error codes with which an S3 refuses a write by a valid credential."""

_MAKING = Lock()


def client(store: Workspace) -> Any:
    """One boto3 client per store and process. Threads may share it, and creating one is slow."""
    with _MAKING:
        return _client(store)


@lru_cache(maxsize=16)
def _client(store: Workspace) -> Any:
    import boto3

    return boto3.client(**store.boto())


def upload(store: Workspace, prefix: str, folder: Path) -> dict[str, int]:
    """Puts every file under `folder` at `prefix/relative/path`. Returns key -> size in bytes."""
    files = _files(prefix, folder)
    _put(store, files)
    return {key: path.stat().st_size for key, path in files.items()}


def restore(
    store: Workspace,
    prefix: str,
    folder: Path,
    spare: str = "",
    in_turn: Callable[[str], bool] | None = None,
    *,
    in_one_second: bool = False,
) -> None:
    """Makes the objects under `prefix/` equal to the files under `folder`. Never deletes under `prefix/<spare>/`.

    An object that is equal already is left alone, and so keeps its time of modification. Those whose keys are `in_turn`
    come last, in the order of their keys, each in a second of its own, which is how fine S3's times are; or
    `in_one_second`, all of them.
    """
    wanted, there = _files(prefix, folder), versions_of(store, prefix)
    for key in there:
        if key not in wanted and not (spare and key.startswith(_folder(f"{prefix}/{spare}"))):
            remove(store, key)
    changed = {key: path for key, path in wanted.items() if key not in there or there[key] != _tag(path)}
    late = {key: path for key, path in changed.items() if in_turn is not None and in_turn(key)}
    _put(store, {key: path for key, path in changed.items() if key not in late})
    seconds = [sorted(late)] if in_one_second else [[key] for key in sorted(late)]
    for keys in seconds:
        time.sleep(1 - time.time() % 1)
        for key in keys:
            _put(store, {key: late[key]})


def add(store: Workspace, prefix: str, files: Mapping[str, Path]) -> None:
    """Puts each of these files at its key under `prefix/`, where the store has no equal one. Other objects stay."""
    there = versions_of(store, prefix)
    _put(store, {key: path for key, path in files.items() if there.get(key) != _tag(path)})


def _files(prefix: str, folder: Path) -> dict[str, Path]:
    return {_join(prefix, path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}


def _tag(path: Path) -> str:
    """The entity tag of an object that is put at once."""
    return f'"{hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()}"'


def _put(store: Workspace, files: Mapping[str, Path]) -> None:
    s3 = client(store)

    def put(key: str) -> None:
        with files[key].open("rb") as body, _writing(store):
            s3.put_object(Bucket=store.bucket, Key=key, Body=body)

    _each(put, files)


def download(store: Workspace, prefix: str, folder: Path) -> dict[str, Path]:
    """Downloads every object under `prefix/` into `folder`, created if necessary. Returns key -> path."""
    files = {key: folder / key[len(_folder(prefix)) :] for key in list_objects(store, prefix)}
    for parent in {path.parent for path in files.values()}:
        parent.mkdir(parents=True, exist_ok=True)
    _each(lambda key: files[key].write_bytes(read(store, key)), files)
    return files


def list_objects(store: Workspace, prefix: str) -> dict[str, int]:
    """Key -> size in bytes of every object under `prefix/`; directory markers are left out."""
    return {item["Key"]: item["Size"] for item in _listed(store, prefix) if not item["Key"].endswith("/")}


def versions_of(store: Workspace, prefix: str) -> dict[str, str]:
    """Key -> entity tag of every object under `prefix/`: another tag, other bytes."""
    return {item["Key"]: item["ETag"] for item in _listed(store, prefix)}


def _listed(store: Workspace, prefix: str) -> Iterator[Any]:
    """The store's own record of every object under `prefix/`, directory markers among them."""
    pages = client(store).get_paginator("list_objects_v2").paginate(Bucket=store.bucket, Prefix=_folder(prefix))
    with _reaching(store):
        for page in pages:
            yield from page.get("Contents", ())


def read(store: Workspace, key: str) -> bytes:
    """The content of one object. Raises botocore's `NoSuchKey` if it does not exist."""
    with _reaching(store):
        body: bytes = client(store).get_object(Bucket=store.bucket, Key=key)["Body"].read()
    return body


def write(store: Workspace, key: str, content: bytes) -> None:
    """Puts one object. Like every write here, raises Problem if the credential may not write."""
    with _writing(store):
        client(store).put_object(Bucket=store.bucket, Key=key, Body=content)


def remove(store: Workspace, key: str) -> None:
    """Deletes one object."""
    with _writing(store):
        client(store).delete_object(Bucket=store.bucket, Key=key)


def delete(store: Workspace, prefix: str) -> int:
    """Deletes every object under `prefix/`. Returns how many."""
    keys = list(list_objects(store, prefix))
    for batch in _batches(keys, 1000):  # S3's limit per request
        wanted = {"Objects": [{"Key": key} for key in batch], "Quiet": True}
        with _writing(store):
            answer = client(store).delete_objects(Bucket=store.bucket, Delete=wanted)
        if kept := answer.get("Errors"):
            raise Problem(f"{store.bucket}/{kept[0]['Key']} cannot be deleted: {kept[0].get('Code')}")
    return len(keys)


def unanswered(where: str, error: Exception) -> Problem:
    """Of a store that no longer answers."""
    return Problem(f"The store at {where} does not answer ({type(error).__name__}). Run again.")


@contextmanager
def _reaching(store: Workspace) -> Iterator[None]:
    """Raises Problem if the store no longer answers: its container, say, was killed."""
    from botocore.exceptions import ConnectionError, HTTPClientError

    try:
        yield
    except (ConnectionError, HTTPClientError) as error:
        raise unanswered(store.endpoint or "AWS", error) from error


@contextmanager
def _writing(store: Workspace) -> Iterator[None]:
    """Raises Problem if the credential may not write. Only a write shows this, so nothing checks it earlier."""
    from botocore.exceptions import ClientError

    try:
        with _reaching(store):
            yield
    except ClientError as refused:
        if refused.response["Error"].get("Code") not in REFUSED:
            raise
        where = store.endpoint or "AWS"
        raise Problem(
            f"the credential may not write in bucket {store.bucket} at {where}: allow it to put and delete objects"
        ) from refused


def _each(action: Any, keys: Iterable[str]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(action, keys))


def _batches(keys: list[str], size: int) -> Iterator[list[str]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))


def _folder(prefix: str) -> str:
    return prefix.strip("/") + "/"


def _join(prefix: str, relative: Path) -> str:
    return _folder(prefix) + relative.as_posix()
