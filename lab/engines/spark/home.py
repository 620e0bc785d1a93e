"""What a reader on Spark needs to start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.stack.mount import Mount


@dataclass(frozen=True)
class SparkHome:
    """Spark itself is the Python package; these are its jars, its Java and its mounts."""

    java_home: Path
    jars: tuple[Path, ...]
    """The jars of Iceberg, Hudi and S3A, with their dependencies."""
    mount: Mount | None = None
    """A folder of this disk under its own addresses, beside the store's."""
