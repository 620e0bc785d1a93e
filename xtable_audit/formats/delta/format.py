"""Delta, as a source."""

from xtable_audit.formats.delta.facts import delta_table
from xtable_audit.formats.delta.rows import LIBRARY, delta_rows
from xtable_audit.formats.delta.state import delta_state
from xtable_audit.formats.registered import TableFormat
from xtable_audit.formats.source import SourceFormat

DELTA = TableFormat(source=SourceFormat(delta_state, delta_table, delta_rows, LIBRARY, "version"))
