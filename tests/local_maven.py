"""The local Maven repository of this machine with one folder of a test's own: the rest is linked."""

from __future__ import annotations

from pathlib import Path


def with_own_folder(local: Path, new: Path, own: str) -> Path:
    """Makes `new`, a repository that links to everything in `local` but `own` (`org/apache/xtable`), which is empty."""
    new.mkdir(parents=True)
    first, _, rest = own.partition("/")
    for entry in local.iterdir() if local.is_dir() else ():
        if entry.name != first:
            (new / entry.name).symlink_to(entry)
    if rest:
        with_own_folder(local / first, new / first, rest)
    else:
        (new / first).mkdir()
    return new
