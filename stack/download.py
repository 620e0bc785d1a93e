"""Downloads a large artefact of a Maven repository and shows the progress."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

import requests

from stack.maven import Repositories, fetch

_MEGABYTE = 1_000_000


def fetch_shown(repositories: Repositories, path: PurePosixPath, what: str, tell: Callable[[str], None]) -> Path:
    """The artefact, from this machine or downloaded: `tell("downloading {what}, 12 of 245 MB")`, once a megabyte.

    Raises Problem, as `stack.maven.fetch` does.
    """
    if found := repositories.find(path):
        return found
    with requests.Session() as session:
        total = _size(session, f"{repositories.remote}/{path}") // _MEGABYTE
        arrived = 0

        def count(size: int) -> None:
            nonlocal arrived
            before, arrived = arrived // _MEGABYTE, arrived + size
            if arrived // _MEGABYTE > before:
                tell(f"downloading {what}, {arrived // _MEGABYTE} of {total or '?'} MB")

        return fetch(repositories, path, session, count)


def _size(session: requests.Session, url: str) -> int:
    """Bytes; 0 if the repository does not report them: the download itself then reports what is wrong."""
    try:
        answer = session.head(url, timeout=20, allow_redirects=True, headers={"Accept-Encoding": "identity"})
    except requests.RequestException:
        return 0
    return int(answer.headers.get("Content-Length", 0)) if answer.ok else 0
