"""Delta, as a source and as a target."""

from xtable_audit.formats.delta.facts import delta_table
from xtable_audit.formats.delta.find import delta_below, holds_a_log, holds_delta
from xtable_audit.formats.delta.rows import LIBRARY, delta_rows
from xtable_audit.formats.delta.state import delta_state
from xtable_audit.formats.delta.stored import is_delta, read_delta
from xtable_audit.formats.registered import TableFormat
from xtable_audit.formats.source import SourceFormat
from xtable_audit.formats.target import TargetFormat

SOURCE = SourceFormat(delta_state, delta_table, delta_rows, LIBRARY, "version")
TARGET = TargetFormat(
    name="delta",
    title="Delta",
    commit="version",
    reads=is_delta,
    read=read_delta,
    find=delta_below,
    is_at=holds_delta,
    is_begun=holds_a_log,
    supports_check="xtable_audit.formats.delta.check.support:DELTA",
)
DELTA = TableFormat(target=TARGET, source=SOURCE)
