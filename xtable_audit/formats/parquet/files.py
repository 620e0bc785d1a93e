"""The data files of a folder of Parquet files, by their paths alone: which they are, and their partition columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from pyarrow import fs

from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.problem import Problem

SUFFIX = ".parquet"
NULL = "__HIVE_DEFAULT_PARTITION__"
"""The value in a path of rows whose partition value is null."""


def is_data_file(path: str) -> bool:
    """Whether a file at that path below the table is one of its data files.

    Spark, Hive and Trino do not look at names that begin with a dot or an underscore, nor below such folders; a
    partition folder may begin with an underscore (Spark, `HadoopFSUtils.shouldFilterOutPathName`).
    """
    return path.endswith(SUFFIX) and not any(map(_is_hidden, path.split("/")))


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def listed(folder: TableFolder) -> tuple[dict[str, fs.FileInfo], list[str]]:
    """Path below the table -> size and time of each data file, and the paths of all other files.

    Raises Problem if no file is a data file, Unreachable.
    """
    infos = folder.infos(below=True)
    found = {path: info for path, info in infos.items() if is_data_file(path)}
    if not found:
        raise Problem(f"{folder.root} is no folder of Parquet files: no name in it ends in {SUFFIX}")
    return found, [path for path in infos if path not in found]


def milliseconds(info: fs.FileInfo) -> int:
    """The time of modification as Hadoop has it."""
    return int(info.mtime_ns) // 1_000_000


def partition_values(path: str) -> Mapping[str, str | None]:
    """Partition column -> value, by the folders `column=value` of a path below the table."""
    named = [folder.partition("=") for folder in path.split("/")[:-1] if "=" in folder]
    return {unquote(name): None if value == NULL else unquote(value) for name, _, value in named}


def partition_columns(paths: Iterable[str]) -> tuple[str, ...]:
    """Those of any of the paths, in the order in which they come."""
    return tuple(dict.fromkeys(name for path in paths for name in partition_values(path)))
