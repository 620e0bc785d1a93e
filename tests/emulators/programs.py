"""Programs that stand in for clouds: from the PATH, else installed into the suite's cache where Go or npm is here."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from lab.stack.cache import Cache, key_of
from lab.stack.project import ROOT
from lab.stack.versions import VERSIONS_FILE
from xtable_audit.model.problem import Problem

MINUTES = 10
TOOLS = {"go": "Go", "npm": "Node.js"}


@dataclass(frozen=True)
class Way:
    """How a module becomes a program: `build(module, folder)` needs `tool`, and puts it into the folder's `where`."""

    tool: str
    build: Callable[[str, Path], None]
    where: str


def _go(module: str, folder: Path) -> None:
    run("go", "install", module, GOBIN=str(folder / "bin"), GOFLAGS="-buildvcs=false")


def _npm(module: str, folder: Path) -> None:
    run("npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), module)


GO, NPM = Way("go", _go, "bin"), Way("npm", _npm, "node_modules/.bin")


def program(name: str) -> str:
    """The path of the program. Skips the test, with the reason, where it cannot be installed."""
    [(tool, module)] = tomllib.loads(VERSIONS_FILE.read_text())["emulators"][name].items()
    try:
        return shutil.which(name) or str(installed(name, {"go": GO, "npm": NPM}[tool], module))
    except Problem as problem:
        pytest.skip(str(problem))


def installed(name: str, way: Way, module: str) -> Path:
    """Its path in the suite's cache. Raises Problem where it cannot be built, which is tried once."""
    found = _tried(name, way, module)
    if isinstance(found, Problem):
        raise found
    return found


@cache
def _tried(name: str, way: Way, module: str) -> Path | Problem:
    kept, key = Cache(), key_of(program=name, module=module)
    entry = kept.lookup("emulators", key)
    if entry is None and shutil.which(way.tool) is None:
        tool = TOOLS[way.tool]
        return Problem(f"{name} is not here: put it on the PATH, or install {tool}, by which the tests get it")
    try:
        entry = entry or kept.publish("emulators", key, lambda folder: way.build(module, folder), {"of": module})
    except Problem as problem:
        return Problem(f"{name} cannot be installed: {problem}")
    return entry / way.where / name


def run(*words: str, at: Path = ROOT, **environment: str) -> str:
    """What the command prints. Raises Problem if it fails, or takes more than ten minutes."""
    command = f"`{' '.join(words[:3])}`"
    try:
        ran = subprocess.run(
            words,
            cwd=at,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=MINUTES * 60,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Problem(f"{command} takes more than {MINUTES} minutes") from error
    if ran.returncode:
        raise Problem(f"{command} says {(ran.stderr or ran.stdout).strip().splitlines()[-1:]}")
    return ran.stdout
