"""Mutants: small healthy tables on this disk, by PyIceberg, each with one random change of one file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch
from uuid import UUID

import fastavro
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DateType, DecimalType, DoubleType, LongType, NestedField, StringType, StructType

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


NUMBERS = (0, 1, -1, 2, 127, 128, 255, 1 << 15, 1 << 31, (1 << 31) - 1, -(1 << 31), (1 << 63) - 1, -(1 << 63), 10**30)
ODD: tuple[Any, ...] = (
    *NUMBERS,
    *(None, True, "", [], {}, 0.5, "a" * 5000, "\x1b[31m", "\0", "[red]", "NaN", "../../../etc/passwd", "file:///etc/passwd"),
    *("s3://other/a", "http://169.254.169.254/", [[[[]]]], {"a": {"a": {}}}, "struct", "decimal(99,99)", "bucket[0]"),
)  # fmt: skip
"""Values that programs seldom expect."""
FOOTER_END = 8


def mutant(name: str, content: bytes, random: Random) -> bytes:
    """The content of a file of this name, changed."""
    ways: list[Callable[[bytes, Random], bytes]] = [_bytes]
    if name.endswith(".json"):
        ways = [_bytes, _json, _json, _json]
    elif name.endswith(".avro"):
        ways = [_bytes, _avro, _avro]
    elif name.endswith(".parquet"):
        ways = [_bytes, _footer, _footer]
    return random.choice(ways)(content, random)


def _bytes(content: bytes, random: Random) -> bytes:
    for _ in range(random.choice((1, 1, 1, 2, 8))):
        content = random.choice((_flipped, _replaced, _cut, _removed, _repeated, _inserted))(content, random)
    return content


def _place(content: bytes, random: Random) -> int:
    return random.randrange(len(content)) if content else 0


def _flipped(content: bytes, random: Random) -> bytes:
    if not content:
        return content
    place = _place(content, random)
    return content[:place] + bytes([content[place] ^ (1 << random.randrange(8))]) + content[place + 1 :]


def _replaced(content: bytes, random: Random) -> bytes:
    place = _place(content, random)
    new = random.choice((b"\xff", b"\x00", b"\x7f", b"\x80", b"\xff\xff\xff\xff\x0f", b"\xfe" * 9 + b"\x01"))
    return content[:place] + new + content[place + len(new) :]


def _cut(content: bytes, random: Random) -> bytes:
    return content[: _place(content, random)]


def _removed(content: bytes, random: Random) -> bytes:
    place = _place(content, random)
    return content[:place] + content[place + random.choice((1, 2, 16, 100)) :]


def _repeated(content: bytes, random: Random) -> bytes:
    place = _place(content, random)
    part = content[place : place + random.choice((1, 4, 64, 1000))]
    return content[:place] + part * random.choice((2, 3, 50)) + content[place + len(part) :]


def _inserted(content: bytes, random: Random) -> bytes:
    place = _place(content, random)
    return content[:place] + random.randbytes(random.choice((1, 4, 100))) + content[place:]


def _footer(content: bytes, random: Random) -> bytes:
    """Bytes of a Parquet footer, whose length follows."""
    length = int.from_bytes(content[-FOOTER_END:-4], "little")
    start = len(content) - FOOTER_END - length
    changed = _bytes(content[start:-FOOTER_END], random)
    return content[:start] + changed + len(changed).to_bytes(4, "little") + content[-4:]


def _json(content: bytes, random: Random) -> bytes:
    document = json.loads(content)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        _change(document, random)
    return json.dumps(document).encode()


def _avro(content: bytes, random: Random) -> bytes:
    """Other records under the same schema. What the schema does not allow is left as it is."""
    reader = fastavro.reader(BytesIO(content))
    records, header = list(reader), dict(reader.metadata)
    schema = json.loads(header["avro.schema"])
    for _ in range(random.choice((1, 1, 2))):
        random.choice((_change, _change, _repeat_record))(records, random)
    kept = {name: value for name, value in header.items() if name not in ("avro.schema", "avro.codec")}
    stream = BytesIO()
    try:
        fastavro.writer(stream, schema, records, header.get("avro.codec", "null"), metadata=kept)
    except (ValueError, TypeError, OverflowError, AttributeError, KeyError, IndexError):
        return _bytes(content, random)
    return stream.getvalue()


def _repeat_record(records: list[Any], random: Random) -> None:
    if records:
        records.append(random.choice(records))


def _change(document: Any, random: Random) -> None:
    """Changes one value somewhere inside, in place: of Avro's records by one of its own type more often than not."""
    places = list(_places(document))
    if not places:
        return
    holder, key = random.choice(places)
    value = holder[key]
    if random.random() < 0.2:
        del holder[key]
    elif random.random() < 0.5:
        holder[key] = _alike(value, random)
    else:
        holder[key] = random.choice(ODD)


def _alike(value: Any, random: Random) -> Any:
    """Another value of the same type."""
    match value:
        case bool():
            return not value
        case int():
            return random.choice((value + 1, value - 1, -value, value * 1000, *NUMBERS))
        case str():
            return random.choice(("", value + "x", value[:-1], value.upper(), value * 50, "\x1b[2J" + value))
        case bytes():
            return random.choice((b"", value + b"\0", value[:-1], bytes(reversed(value)), value * 9, b"\xff" * 8))
        case list():
            return random.choice(([], value * 2, value[::-1], value[:-1]))
    return random.choice(ODD)


def _places(node: Any) -> Any:
    """Every holder and key inside."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in list(items):
        yield node, key
        yield from _places(value)
