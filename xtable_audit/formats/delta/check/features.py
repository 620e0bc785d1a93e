"""What a Delta table asks of its readers, held against what is read here (Delta protocol, Valid Feature Names)."""

from __future__ import annotations

from xtable_audit.formats.delta.actions import ProtocolAction
from xtable_audit.model.figures import few
from xtable_audit.model.problem import Problem

NEWEST = 3
"""The reader version from which on the features are named."""
READ = frozenset(
    {
        *("columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"),
        *("variantType", "variantType-preview", "variantShredding-preview"),
    }
)
"""Features of tables that can be judged. Columns of type variant are set aside."""


def demand_known_features(protocol: ProtocolAction | None) -> None:
    """Raises Problem for a table that says things in ways that are not read: what would be judged is another table."""
    if protocol is None:
        return
    if protocol.min_reader_version > NEWEST:
        raise Problem(
            f"the table asks for readers of version {protocol.min_reader_version} of Delta's protocol, and is read by "
            f"versions up to {NEWEST}"
        )
    if unknown := sorted({*(protocol.reader_features or ())} - READ):
        noun = "feature" if len(unknown) == 1 else "features"
        raise Problem(f"the table asks its readers for the {noun} {few(unknown, 5)}, which cannot be judged here")
