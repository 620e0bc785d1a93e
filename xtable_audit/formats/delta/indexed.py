"""Which columns Delta keeps statistics of, by the table's properties."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from xtable_audit.formats.delta.schema import DeltaColumn
from xtable_audit.formats.delta.statistics import Names

NUMBER = "delta.dataSkippingNumIndexedCols"
DEFAULT = 32
NAMED = "delta.dataSkippingStatsColumns"
"""Names of columns, in backquotes where they hold a comma or a dot; it takes the place of NUMBER."""
NAME = re.compile(r"\s*((?:`(?:[^`]|``)*`|[^,`])+)\s*(?:,|$)")
PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


def number_indexed(settings: Mapping[str, str]) -> int:
    """How many leaves, from the first on, Delta keeps statistics of; -1 for all."""
    try:
        return int(settings.get(NUMBER, DEFAULT))
    except ValueError:
        return DEFAULT


def indexed(
    columns: Iterable[DeltaColumn], partition_by: Iterable[str], settings: Mapping[str, str]
) -> frozenset[Names]:
    """The leaves that it keeps statistics of, by their names from the top. Lists and maps count as leaves."""
    partitions = {(name,) for name in partition_by}
    leaves = [one.names for one in columns if one.type != "struct" and one.names not in partitions]
    if NAMED in settings:
        named = {_parts(name.strip()) for name in NAME.findall(settings[NAMED])}
        return frozenset(leaf for leaf in leaves if any(leaf[: len(name)] == name for name in named))
    most = number_indexed(settings)
    return frozenset(leaves if most < 0 else leaves[:most])


def _parts(name: str) -> Names:
    return tuple(quoted.replace("``", "`") or plain for quoted, plain in PART.findall(name))
