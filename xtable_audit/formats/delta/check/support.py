"""What `check` needs of a Delta table, in one place."""

from __future__ import annotations

from collections.abc import Mapping

from xtable_audit.formats.check_support import CheckSupport, Mended
from xtable_audit.formats.delta.check.advice import ADVICE
from xtable_audit.formats.delta.check.source_types import literal_kind, source_types
from xtable_audit.formats.delta.check.versions import moved_on, read_chosen, since
from xtable_audit.formats.delta.check.writer import UNKNOWN, authors, writer_of
from xtable_audit.formats.delta.claims import log, protocol
from xtable_audit.formats.delta.table import DeltaTable, delta_of
from xtable_audit.model.claim import claims_about
from xtable_audit.subject.case import Case
from xtable_audit.table.stored_metrics import Native, StoredMetrics
from xtable_audit.table.synced import PROPERTY

__all__ = ["DELTA", "log", "protocol"]
FAMILIES: Mapping[str, str] = {"partition": "partition values", "layout": "the order of files"}


def _format_version(stored: StoredMetrics) -> int:
    """The protocol's version for readers."""
    protocol = delta_of(stored).log.protocol
    return protocol.min_reader_version if protocol is not None else 1


def _live(native: Native) -> int:
    assert isinstance(native, DeltaTable)
    return len(native.adds)


def _mended(native: Native, mended: Mended) -> Native:
    """The log adds nothing up of its entries, so no claim looks at those again."""
    del mended
    return native


DELTA = CheckSupport(
    claims=claims_about(Case, "delta"),
    libraries=("pyarrow",),
    read=read_chosen,
    expected="a log without gaps whose every line is one action",
    state=lambda stored: delta_of(stored).log.version,
    format_version=_format_version,
    writer=writer_of,
    unknown=UNKNOWN,
    authors=authors,
    tells_translator=True,
    synced=lambda stored: stored.native.last_synced,
    says_no_sync=f"the table's configuration has no {PROPERTY}, in which XTable says up to where it synced",
    since=since,
    moved_on=moved_on,
    has_more=lambda stored: bool(stored.deletions.files),
    modes=lambda stored: {},
    source_types=source_types,
    literal_kind=literal_kind,
    sums=(),
    resolves=(),
    live=_live,
    mended=_mended,
    families=FAMILIES,
    advice=ADVICE,
)
