"""Python packages that are needed in a process of their own: pip installs them into a folder of the cache.

They come without what they depend on. That is the suite's own, whatever versions they ask for; what it lacks is named
with them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lab.stack.cache import Cache, key_of
from xtable_audit.model.problem import Problem, last_line


def installed(name: str, packages: Sequence[str], cache: Cache) -> Path:
    """The folder for PYTHONPATH with these packages (`name==version`). Raises Problem if pip cannot install them."""

    def install(folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
        done = subprocess.run(
            [*pip, "--no-deps", "--target", str(folder), *packages],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise Problem(f"`pip install {' '.join(packages)}` failed: {last_line(done.stderr)}")

    key = key_of(packages=[*packages], platform=sys.platform, python=sys.version_info[:2])
    return cache.publish(name, key, install, {"packages": " ".join(packages)})
