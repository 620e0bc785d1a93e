"""The data files of a table on the local disk."""

from __future__ import annotations

import json
from pathlib import Path


def data_files(tree: Path) -> dict[str, int]:
    """Path -> size in bytes of every Parquet file of the table outside Hudi's and Delta's metadata, old files too."""
    found = {path.relative_to(tree).as_posix(): path.stat().st_size for path in tree.rglob("*.parquet")}
    return {path: size for path, size in sorted(found.items()) if not path.startswith((".", "_delta_log/"))}


def listed_beside(tree: Path, name: str) -> list[str]:
    """The data files of a stage, as the library that wrote it listed them then, in the file of this name beside it."""
    listed: list[str] = json.loads(tree.with_name(f"{tree.name}.{name}").read_text(encoding="utf-8"))
    return listed
