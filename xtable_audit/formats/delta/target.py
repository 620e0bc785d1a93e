"""Delta as a target format."""

from __future__ import annotations

from xtable_audit.formats.delta.find import delta_below, holds_delta
from xtable_audit.formats.delta.stored import is_delta, read_delta
from xtable_audit.formats.target import TargetFormat

DELTA = TargetFormat(
    name="delta",
    title="Delta",
    commit="version",
    reads=is_delta,
    read=read_delta,
    find=delta_below,
    is_at=holds_delta,
    supports_check="xtable_audit.formats.delta.check.support:DELTA",
)
