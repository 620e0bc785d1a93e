"""Hudi, as a source and as a target."""

from xtable_audit.formats.hudi.facts import hudi_table
from xtable_audit.formats.hudi.state import LIBRARY, hudi_rows, hudi_state
from xtable_audit.formats.hudi.target.rules import HUDI_RULES
from xtable_audit.formats.hudi.target.stored import find, is_expired, read_hudi
from xtable_audit.formats.installed import TableFormat
from xtable_audit.formats.source import OwnStatistics, SourceFormat
from xtable_audit.formats.target import Dropped, TargetFormat
from xtable_audit.model.finding import Blame
from xtable_audit.model.hudi_instant import FOLDER, is_hudi_instant
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
TARGET = TargetFormat(
    name="hudi",
    title="Hudi",
    commit="instant",
    reads=is_hudi_instant,
    read=read_hudi,
    find=find,
    supports_check="xtable_audit.formats.hudi.check.support:HUDI",
    dropped=Dropped(
        "Hudi metadata",
        f"Delete the table's folder `{FOLDER}`, and nothing else.",
        "Older instants of the Hudi table are lost; the source keeps its own history.",
    ),
    folder=FOLDER,
    is_expired=is_expired,
    rules=HUDI_RULES,
    only_if_named=True,
)
HUDI = TableFormat(target=TARGET, source=SOURCE)
