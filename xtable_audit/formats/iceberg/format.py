"""Iceberg, as a target."""

from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.formats.registered import TableFormat
from xtable_audit.formats.target import TargetFormat

ICEBERG = TableFormat(target=TargetFormat("iceberg", "Iceberg", lambda location: True, read_stored_metrics))
"""Any address may be that of a metadata.json, so it is the last to be asked."""
