"""The sentences of Delta's protocol that its own claims rest on."""

from __future__ import annotations

from xtable_audit.formats.delta.rules import MIRROR, NULLS, PARTITION_TEXTS
from xtable_audit.model.rules import QUOTED

PATH = QUOTED["delta-path"]
STATISTICS = MIRROR
FEATURES = (
    'Delta protocol, Protocol Evolution: readerFeatures, "A collection of features that a client must implement in '
    'order to correctly read this table"'
)
MAPPED = (
    'Delta protocol, Column Mapping: "In both modes, every column - nested or leaf - is assigned a _physical_ name, '
    'and a unique 32-bit integer as an id"'
)

__all__ = ["FEATURES", "MAPPED", "NULLS", "PARTITION_TEXTS", "PATH", "STATISTICS"]
