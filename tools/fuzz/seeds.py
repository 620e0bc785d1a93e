"""The healthy tables that mutants are made of: small, on this disk, by PyIceberg.

They hold no list or map: the judge reads no values inside them, so it cannot know that they are broken.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from random import Random
from unittest.mock import patch
from uuid import UUID

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (
    DateType,
    DecimalType,
    DoubleType,
    LongType,
    NestedField,
    StringType,
    StructType,
)

SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "price", DoubleType(), required=False),
    NestedField(3, "city", StringType(), required=False),
    NestedField(4, "day", DateType(), required=False),
    NestedField(5, "paid", DecimalType(9, 2), required=False),
    NestedField(6, "place", StructType(NestedField(7, "zip", LongType(), required=False)), required=False),
)
SPEC = PartitionSpec(PartitionField(3, 1000, IdentityTransform(), "city"))


@dataclass(frozen=True)
class Seed:
    metadata: Path
    files: tuple[Path, ...]
    """Those that a check of the table reads: metadata.json, manifest list, manifests, data files."""


def seeds(folder: Path) -> list[Seed]:
    """An unpartitioned and a partitioned table of two snapshots, below the folder, of the same names and ids each time.

    Times differ, and the folder's own name.
    """
    draw = Random(0)
    with patch("uuid.uuid4", lambda: UUID(int=draw.getrandbits(128), version=4)):
        catalog = SqlCatalog("here", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
        catalog.create_namespace("shop")
        made = [_table(catalog, "plain", PartitionSpec()), _table(catalog, "parted", SPEC)]
        catalog.close()
    return made


def _table(catalog: SqlCatalog, name: str, spec: PartitionSpec) -> Seed:
    table = catalog.create_table(f"shop.{name}", SCHEMA, partition_spec=spec)
    for first in (0, 3):
        table.append(pa.Table.from_pylist([_row(first + place) for place in range(3)], table.schema().as_arrow()))
    snapshot = table.current_snapshot()
    assert snapshot is not None
    manifests = snapshot.manifests(table.io)
    addresses = [table.metadata_location, snapshot.manifest_list, *(one.manifest_path for one in manifests)]
    addresses += [task.file.file_path for task in table.scan().plan_files()]
    files = tuple(Path(address.removeprefix("file://")) for address in addresses)
    return Seed(files[0], files)


def _row(id: int) -> dict[str, object]:
    known = id % 4 > 0
    return {
        "id": id,
        "price": float(id) if known else None,
        "city": "Rome" if id % 2 else "Oslo",
        "day": date(2024, 1, 1 + id),
        "paid": Decimal(id) if known else None,
        "place": {"zip": id} if known else None,
    }
