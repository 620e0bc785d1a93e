"""Paimon, as a source."""

from xtable_audit.formats.installed import TableFormat
from xtable_audit.formats.paimon.facts import paimon_table
from xtable_audit.formats.paimon.state import LIBRARY, newest, paimon_rows, paimon_state
from xtable_audit.formats.source import SourceFormat

PAIMON = TableFormat(source=SourceFormat(paimon_state, paimon_table, paimon_rows, LIBRARY, "snapshot", newest=newest))
