"""Which column a reader must read so that a file it keeps is a file it opens."""

from __future__ import annotations

import re
from collections.abc import Mapping

from xtable_audit.model.predicate import Predicate, columns_of

_NESTED = re.compile(r"^(struct|list|map|array|tuple|row)\b|[\[<]", re.IGNORECASE)
_PREFERRED = ("float|double", "int|long", "decimal|numeric", "date|time", "string|char")


def column_to_read(types: Mapping[str, str], predicate: Predicate | None) -> str:
    """The column whose values are read to make a reader open the files it keeps.

    `types` is name -> the engine's or Iceberg's word for the type. A number is small to read, and a float is never a
    partition column, whose value a reader may take from the metadata. A column of the predicate is the last choice,
    for the same reason.
    """
    asked = {name.lower() for name in columns_of(predicate)}  # an engine may write its columns small

    def cost(name: str) -> tuple[bool, bool, int]:
        kind = types[name]
        ranks = (rank for rank, pattern in enumerate(_PREFERRED) if re.search(pattern, kind, re.IGNORECASE))
        return bool(_NESTED.search(kind)), name.lower() in asked, next(ranks, len(_PREFERRED))

    return min(types, key=cost)
