"""A folder of Parquet files, as a source."""

from xtable_audit.formats.installed import TableFormat
from xtable_audit.formats.parquet.facts import folder_table
from xtable_audit.formats.parquet.state import LIBRARY, folder_rows, folder_state
from xtable_audit.formats.source import SourceFormat

PARQUET = TableFormat(source=SourceFormat(folder_state, folder_table, folder_rows, LIBRARY, "file time"))
