"""Hudi, as a source."""

from xtable_audit.formats.hudi.facts import hudi_table
from xtable_audit.formats.hudi.rows import LIBRARY, hudi_rows
from xtable_audit.formats.hudi.state import hudi_state
from xtable_audit.formats.registered import TableFormat
from xtable_audit.formats.source import SourceFormat

HUDI = TableFormat(source=SourceFormat(hudi_state, hudi_table, hudi_rows, LIBRARY, "instant"))
