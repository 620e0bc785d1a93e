"""What an engine wrote for a test is kept in the cache: a test that finds it there starts no JVM."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from lab.stack.cache import Cache, key_of
from lab.stack.project import ROOT
from tests.imports import code_in, modules_of

KIND = "tests"
RECORDING = "recording"
"""The kind of what `xtable.replay.unpacked` keeps."""
VERSIONS = ("lab/stack/versions.toml", "requirements.txt")
"""The files that hold the version of everything."""


def kept(write: Callable[..., Any], *jobs: str, **arguments: Any) -> tuple[Path, Any]:
    """The folder that `write(folder, **arguments)` created and filled, and what it returned, which JSON can hold.

    `jobs` are modules that it runs in processes of their own. The entry's key covers their code and its own, with all
    that they import of this project, every version, and the arguments. Copy a file before you change it.
    """

    def build(entry: Path) -> None:
        facts = write(entry / "written", **arguments)
        (entry / "facts.json").write_text(json.dumps(facts), encoding="utf-8")

    key = key_for(modules_of(write.__module__, *jobs), arguments)
    entry = Cache().publish(KIND, key, build, {"by": f"{write.__module__}.{write.__qualname__}"})
    return entry / "written", json.loads((entry / "facts.json").read_text(encoding="utf-8"))


def empty_cache(folder: Path) -> dict[str, str]:
    """An environment with a cache of its own, in the new folder: nothing is kept there but the recordings, which every
    cache unpacks alike, and which are thousands of files.
    """
    folder.mkdir()
    (Cache().root / RECORDING).mkdir(exist_ok=True)
    (folder / RECORDING).symlink_to(Cache().root / RECORDING)
    return {"XTABLE_AUDIT_CACHE": str(folder)}


def key_for(modules: frozenset[Path], arguments: dict[str, Any], root: Path = ROOT) -> str:
    """Code counts without comments and docstrings, arguments count by their `repr`."""
    code = {file.relative_to(root).as_posix(): _digest(file) for file in modules}
    versions = [(root / name).read_text(encoding="utf-8") for name in VERSIONS]
    return key_of(code=code, versions=versions, arguments=repr(sorted(arguments.items())))


@cache
def _digest(file: Path) -> str:
    return key_of(code=code_in(file))
