"""A folder of Parquet files, as a source."""

from xtable_audit.formats.parquet.facts import no_facts
from xtable_audit.formats.parquet.rows import LIBRARY, folder_rows
from xtable_audit.formats.parquet.state import folder_state
from xtable_audit.formats.registered import TableFormat
from xtable_audit.formats.source import SourceFormat

PARQUET = TableFormat(source=SourceFormat(folder_state, no_facts, folder_rows, LIBRARY, "file time"))
