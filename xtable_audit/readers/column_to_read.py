"""Chooses a column that makes a reader open every file it plans."""

from __future__ import annotations

import re
from collections.abc import Mapping

from xtable_audit.model.predicate import Predicate, columns_of

_NESTED = re.compile(r"^(struct|list|map|array|tuple|row)\b|[\[<]", re.IGNORECASE)
_PREFERRED = ("float|double", "int|long", "decimal|numeric", "date|time", "string|char")


def column_to_read(types: Mapping[str, str], predicate: Predicate | None) -> str:
    """The column to read, so that a reader opens the files it plans.

    `types` is name -> the engine's or Iceberg's name of the type. Numbers are cheap to read. A float is never a
    partition column, whose value a reader may take from the metadata. A column of the predicate is the last choice for
    the same reason.
    """
    filtered = {name.lower() for name in columns_of(predicate)}  # an engine may lower-case column names

    def cost(name: str) -> tuple[bool, bool, int]:
        kind = types[name]
        ranks = (rank for rank, pattern in enumerate(_PREFERRED) if re.search(pattern, kind, re.IGNORECASE))
        return bool(_NESTED.search(kind)), name.lower() in filtered, next(ranks, len(_PREFERRED))

    return min(types, key=cost)
