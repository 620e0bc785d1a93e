"""Delta as a target format."""

from __future__ import annotations

from xtable_audit.formats.delta.stored import is_delta, read_delta
from xtable_audit.formats.target import TargetFormat

DELTA = TargetFormat("delta", "Delta", is_delta, read_delta)
