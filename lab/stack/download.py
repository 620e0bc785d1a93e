"""Downloads a large artefact of a Maven repository and shows the progress; how an archive is unpacked."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath

import requests

from lab.stack.maven_repositories import Repositories, fetch, size_of
from xtable_audit.model.problem import Problem

_MEGABYTE = 1_000_000
DATA = getattr(tarfile, "data_filter", None)
"""The `extraction_filter` of an archive. Python has none before 3.11.4, as in Debian 12: `extract` takes none there."""


def fetch_reporting(repositories: Repositories, path: PurePosixPath, what: str, report: Callable[[str], None]) -> Path:
    """The artefact, from this machine or downloaded: `report("downloading {what}, 12 of 245 MB")`, once a megabyte.

    Raises Problem, as `lab.stack.maven_repositories.fetch` does.
    """
    if found := repositories.find(path):
        return found
    with requests.Session() as session:
        total = 0
        with suppress(Problem):  # the download itself then says what is wrong
            total = size_of(session, f"{repositories.remote}/{path}") // _MEGABYTE
        arrived = 0

        def count(size: int) -> None:
            nonlocal arrived
            before, arrived = arrived // _MEGABYTE, arrived + size
            if arrived // _MEGABYTE > before:
                report(f"downloading {what}, {arrived // _MEGABYTE} of {total or '?'} MB")

        return fetch(repositories, path, session, count)
