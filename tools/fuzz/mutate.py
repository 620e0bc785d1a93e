"""One random change of one file: of its bytes, or of what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from random import Random
from typing import Any

import fastavro

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
