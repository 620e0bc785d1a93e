"""Maven as a test needs it: this machine's local repository with a folder of the test's own, and settings."""

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


def with_mirror(settings: Path, url: str) -> Path:
    """Writes Maven settings in which this URL stands for Maven Central."""
    mirror = f"<mirror><id>it</id><mirrorOf>central</mirrorOf><url>{url}</url></mirror>"
    settings.write_text(f"<settings><mirrors>{mirror}</mirrors></settings>")
    return settings
