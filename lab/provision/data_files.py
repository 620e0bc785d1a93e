"""The data files of a table on the local disk."""

from __future__ import annotations

from pathlib import Path


def data_files(tree: Path) -> dict[str, int]:
    """Path -> size in bytes of every Parquet file of the table outside Hudi's and Delta's metadata, old files too."""
    found = {path.relative_to(tree).as_posix(): path.stat().st_size for path in tree.rglob("*.parquet")}
    return {path: size for path, size in sorted(found.items()) if not path.startswith((".", "_delta_log/"))}
