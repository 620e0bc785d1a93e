"""What `check` needs of a Delta table, in one place."""

from __future__ import annotations

from xtable_audit.formats.check_support import CheckSupport
from xtable_audit.formats.delta.check.advice import ADVICE
from xtable_audit.formats.delta.check.versions import moved_on, read_chosen, since
from xtable_audit.formats.delta.check.writer import UNKNOWN, authors, writer_of
from xtable_audit.formats.delta.claims import CLAIMS
from xtable_audit.formats.delta.table import delta_of
from xtable_audit.model.columns import Leaf
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import PROPERTY

NAMES = {
    "integer": ("int",),
    "byte": ("byte", "int"),
    "short": ("short", "int"),
    "binary": ("bytes", "fixed"),
    "timestamp_ntz": ("timestamp_ntz", "timestamp"),
}
"""Where they are others, or several."""


def source_types(leaf: Leaf) -> tuple[str, ...]:
    """The names that sources have for the column's type (`xtable_audit.model.source_fact.LEAF_TYPES`)."""
    type = str(leaf.type)
    return ("decimal",) if type.startswith("decimal") else NAMES.get(type, (type,))


def _format_version(stored: StoredMetrics) -> int:
    """The protocol's version for readers."""
    protocol = delta_of(stored).log.protocol
    return protocol.min_reader_version if protocol is not None else 1


DELTA = CheckSupport(
    claims=CLAIMS,
    read=read_chosen,
    expected="a log without gaps whose every line is one action",
    format_version=_format_version,
    writer=writer_of,
    unknown=UNKNOWN,
    authors=authors,
    tells_translator=True,
    says_no_sync=f"the table's configuration has no {PROPERTY}, in which XTable says up to where it synced",
    since=since,
    moved_on=moved_on,
    source_types=source_types,
    advice=ADVICE,
)
