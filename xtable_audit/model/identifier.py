"""Column names as SQL writes them: in quotes where a parser would not read them as one name."""

from __future__ import annotations

import re

PLAIN = re.compile(r"[^\W\d]\w*", re.ASCII)
WORDS = (
    # SQL:2023 and Trino
    "all alter and any as asc between both by call case cast check collate column constraint create cross cube "
    "current current_catalog current_date current_path current_role current_schema current_time current_timestamp "
    "current_user deallocate default delete desc describe distinct drop else end escape except execute exists explain "
    "extract false fetch for foreign from full grant group grouping having if in inner insert intersect interval into "
    "is join lateral leading left like limit listagg localtime localtimestamp match_recognize natural normalize not "
    "null offset on or order outer prepare primary qualify recursive references returning revoke right rollback rollup "
    "select session_user set show skip some table tablesample then to trailing trim true uescape union unique unnest "
    "update user using values when where window with "
    # other engines, and the parser of `--where`
    "connect_by_root glob ilike notnull optimize partitioned_by regexp rename rlike uncache vacuum xor"
)
RESERVED = frozenset(WORDS.split())


def identifier(path: str) -> str:
    """The dotted path of a column. Names that are plain stay as they are."""
    parts = path.split(".")
    if not all(parts):
        return quoted(path)
    return ".".join(part if _is_plain(part) else quoted(part) for part in parts)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_plain(part: str) -> bool:
    return bool(PLAIN.fullmatch(part)) and part.lower() not in RESERVED
