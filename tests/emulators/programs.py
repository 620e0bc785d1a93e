"""Programs that stand in for clouds: from the PATH, else installed into the suite's cache where Go or npm is here."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

from lab.stack.cache import Cache, key_of
from lab.stack.versions import VERSIONS_FILE
from xtable_audit.model.problem import Problem

MINUTES = 10
TOOLS = {"go": "Go", "npm": "Node.js"}


def program(name: str) -> str:
    """The path of the program. Skips the test, with the reason, where it cannot be installed."""
    [(tool, module)] = tomllib.loads(VERSIONS_FILE.read_text())["emulators"][name].items()
    found = shutil.which(name) or installed(name, tool, module)
    if isinstance(found, Problem):
        pytest.skip(str(found))
    return str(found)


@cache
def installed(name: str, tool: str, module: str) -> Path | Problem:
    """Its path in the suite's cache, where `tool` (`go` or `npm`) puts it, or why it is not there: tried once."""
    kept, key = Cache(), key_of(program=name, module=module)
    entry = kept.lookup("emulators", key)
    if entry is None and shutil.which(tool) is None:
        return Problem(f"{name} is not here: put it on the PATH, or install {TOOLS[tool]}, by which the tests get it")
    try:
        entry = entry or kept.publish("emulators", key, lambda folder: _install(tool, module, folder), {"of": module})
    except Problem as problem:
        return Problem(f"{name} cannot be installed: {problem}")
    return entry / "bin" / name if tool == "go" else entry / "node_modules" / ".bin" / name


def _install(tool: str, module: str, folder: Path) -> None:
    if tool == "go":
        command, env = ["go", "install", module], {"GOBIN": str(folder / "bin"), "GOFLAGS": "-buildvcs=false"}
    else:
        command, env = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), module], {}
    told = {"capture_output": True, "text": True, "timeout": MINUTES * 60, "check": False}
    try:
        ran: subprocess.CompletedProcess[str] = subprocess.run(command, env=os.environ | env, **told)  # type: ignore[call-overload]
    except subprocess.TimeoutExpired as error:
        raise Problem(f"`{' '.join(command[:3])}` takes more than {MINUTES} minutes") from error
    if ran.returncode:
        raise Problem(f"`{' '.join(command[:3])}` says {ran.stderr.strip().splitlines()[-1:]}")
