"""What a reader on Spark is started from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stack.mount import Mount


@dataclass(frozen=True)
class SparkHome:
    """Spark itself is the Python package; this is what it needs beside that."""

    java_home: Path
    jars: tuple[Path, ...]
    """Iceberg, Hudi and S3A, with all they need."""
    mount: Mount | None = None
    """A folder of this disk under addresses of its own, beside the store's."""
