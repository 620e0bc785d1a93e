"""The leaf columns of a table, which have bounds and counts."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from xtable_audit.model.wanted import WantedColumn

HUDIS_OWN = "_hoodie_"
"""Name prefix of the metadata columns that Hudi adds to every table."""
COMMITTED = f"{HUDIS_OWN}commit_time"


@dataclass(frozen=True)
class Leaf:
    """A primitive column, top-level or inside structs.

    Leaves inside lists and maps count elements, not rows, and are not judged.
    """

    field_id: int
    path: str
    """Dotted: `address.city`."""
    type: object
    """Its type by the table's own format."""
    arrow: pa.DataType
    default: pa.Scalar | None = None
    parent: int | None = None
    """As `WantedColumn` has them."""

    @property
    def column(self) -> WantedColumn:
        """The same column in the form that a scan takes."""
        return WantedColumn(self.field_id, self.path, self.arrow, self.default, self.parent)
