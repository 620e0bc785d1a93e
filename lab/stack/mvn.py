"""The user's own Maven, asked where jgo has no answer.

Maven keeps what it downloads in the local Maven repository, as always, and takes it from where the user's settings say.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from lab.stack.maven import Repositories
from lab.stack.versions import dependency_plugin
from xtable_audit.model.problem import Problem

_TO_LIST = 1800
"""Seconds in which Maven downloads what a class path lacks: some 300 MB."""
_TO_GET = 60
"""Seconds to find one pom."""


def class_path(repositories: Repositories, pom: str) -> tuple[Path, ...]:
    """The jars of a pom's class path, in Maven's order. Raises Problem with Maven's first words of error."""
    with tempfile.TemporaryDirectory(prefix="xtable-audit-") as folder:
        project, listed = Path(folder) / "pom.xml", Path(folder) / "class-path"
        project.write_text(pom, encoding="utf-8")
        _run(repositories, "build-classpath", [f"-f={project}", f"-Dmdep.outputFile={listed}"], Path(folder), _TO_LIST)
        return tuple(Path(jar) for jar in listed.read_text(encoding="utf-8").strip().split(os.pathsep))


def get_pom(repositories: Repositories, coordinate: str) -> None:
    """Brings a pom (`group:artifact:version`) into the local Maven repository. Raises Problem if Maven finds none."""
    with tempfile.TemporaryDirectory(prefix="xtable-audit-") as folder:
        options = [f"-Dartifact={coordinate}:pom", "-Dtransitive=false"]
        _run(repositories, "get", options, Path(folder), _TO_GET)


def _run(repositories: Repositories, goal: str, options: list[str], folder: Path, seconds: int) -> None:
    command = [repositories.mvn, "-B", "-q", "-Dstyle.color=never", f"-Dmaven.repo.local={repositories.installed}"]
    command += [f"{dependency_plugin()}:{goal}", *options]
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Problem(f"{repositories.mvn} did not answer: {error}") from error
    if done.returncode != 0:
        raise Problem(_first_error(done.stdout + done.stderr) or f"{repositories.mvn} ended with {done.returncode}")


def _first_error(printed: str) -> str:
    """What Maven calls the error, on one line, without its hint at further help."""
    lines = (line.partition("[ERROR] ")[2] for line in printed.splitlines() if "[ERROR] " in line)
    return next(lines, "").partition(" -> [Help")[0].rstrip(". ")
