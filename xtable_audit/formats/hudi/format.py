"""Hudi, as a source."""

from xtable_audit.formats.hudi.facts import hudi_table
from xtable_audit.formats.hudi.state import LIBRARY, hudi_rows, hudi_state
from xtable_audit.formats.registered import TableFormat
from xtable_audit.formats.source import OwnStatistics, SourceFormat
from xtable_audit.model.finding import Blame
from xtable_audit.model.source_fact import TableFact

SOURCE = SourceFormat(
    hudi_state,
    hudi_table,
    hudi_rows,
    LIBRARY,
    "instant",
    keeps_beside=TableFact.LOGS,
    statistics=OwnStatistics(Blame.XTABLE_VIA_HUDI, "Hudi's own statistics of the same files and columns are"),
)
HUDI = TableFormat(source=SOURCE)
