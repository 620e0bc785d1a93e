"""A Hudi table's own settings: hoodie.properties."""

from __future__ import annotations

import re
from collections.abc import Mapping

from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.problem import Problem

PROPERTIES = ".hoodie/hoodie.properties"
PARQUET = "PARQUET"


def read_settings(folder: TableFolder) -> dict[str, str]:
    """Raises Problem if the folder holds no Hudi table."""
    if folder.size(PROPERTIES) is None:
        raise Problem(
            f"{folder.root} is no Hudi table: it has no {PROPERTIES}; name the folder that holds .hoodie, or a Delta "
            f"table as delta:LOCATION"
        )
    return parse_properties(folder.read(PROPERTIES))


def base_format(settings: Mapping[str, str]) -> str:
    """Of the base files, in capitals."""
    return settings.get("hoodie.table.base.file.format", PARQUET).upper()


def parse_properties(content: bytes) -> dict[str, str]:
    """A Java properties file without continued lines, as Hudi writes it."""
    found = {}
    for line in content.decode("utf-8", "replace").splitlines():
        if line.strip() and not line.lstrip().startswith(("#", "!")):
            name, _, value = line.partition("=")
            found[_unescaped(name.strip())] = _unescaped(value.strip())
    return found


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def partition_fields(settings: Mapping[str, str]) -> tuple[str, ...]:
    """Without the types that CustomKeyGenerator appends (`day:timestamp`)."""
    listed = settings.get("hoodie.table.partition.fields", "")
    return tuple(one.strip().partition(":")[0] for one in listed.split(",") if one.strip())
