"""Delta, as a source and as a target."""

from xtable_audit.formats.delta.facts import delta_table
from xtable_audit.formats.delta.find import delta_below
from xtable_audit.formats.delta.rows import LIBRARY, delta_rows
from xtable_audit.formats.delta.rules import DELTA_RULES, MILLISECOND
from xtable_audit.formats.delta.state import delta_state, is_expired
from xtable_audit.formats.delta.stored import read_delta
from xtable_audit.formats.delta.traps import PLANNERS
from xtable_audit.formats.registered import TableFormat
from xtable_audit.formats.source import OwnStatistics, SourceFormat
from xtable_audit.formats.target import Dropped, TargetFormat
from xtable_audit.model.delta_version import LOG, is_delta_version
from xtable_audit.model.finding import Blame
from xtable_audit.model.source_fact import TableFact

SOURCE = SourceFormat(
    delta_state,
    delta_table,
    delta_rows,
    LIBRARY,
    "version",
    keeps_beside=TableFact.DELETION_VECTOR,
    statistics=OwnStatistics(Blame.DELTA, "the statistics in the Delta log are", coarse=MILLISECOND),
)
TARGET = TargetFormat(
    name="delta",
    title="Delta",
    commit="version",
    reads=is_delta_version,
    read=read_delta,
    find=delta_below,
    supports_check="xtable_audit.formats.delta.check.support:DELTA",
    dropped=Dropped(
        "Delta log",
        f"Delete the table's folder `{LOG}` (next to `.hoodie`), and nothing else.",
        "Older versions of the Delta table are lost; the source keeps its own history.",
    ),
    folder=LOG,
    is_expired=is_expired,
    rules=DELTA_RULES,
    planners=PLANNERS,
)
DELTA = TableFormat(target=TARGET, source=SOURCE)
