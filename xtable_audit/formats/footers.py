"""What the Parquet footers of live files show of each leaf column. Reads no values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from xtable_audit.formats.source import FactAnswer, SourceLeaf
from xtable_audit.model.malformed import Malformed, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.source_fact import ColumnFact

LOST_DAYS = (-141_437, -141_428)
"""1582-10-05 and 1582-10-14 in days since 1970-01-01."""
SECOND, MILLISECOND = 1_000_000, 1_000
"""In microseconds."""
GREGORIAN = -141_427 * 86_400 * SECOND
"""1582-10-15 in microseconds since 1970-01-01."""
LAST_DAY = 2_932_896
"""9999-12-31 in days since 1970-01-01."""
PHYSICAL = {
    "float": ("FLOAT",), "double": ("FLOAT", "DOUBLE"), "date": ("INT32",), "timestamp": ("INT64",),
    "decimal": ("INT32", "INT64", "FIXED_LEN_BYTE_ARRAY", "BYTE_ARRAY"), "string": ("BYTE_ARRAY",),
    "bytes": ("BYTE_ARRAY",), "fixed": ("FIXED_LEN_BYTE_ARRAY",),
}  # fmt: skip
"""Physical types whose raw bounds are read as that type; a file of an older schema may hold another."""
NARROWER = {"long": "INT32", "double": "FLOAT"}
"""The physical type of a file that was written before a column became of that type."""
UNITS = {"milliseconds": ColumnFact.MILLISECONDS, "nanoseconds": ColumnFact.NANOSECONDS}
NUMBERS = ("INT32", "INT64", "FLOAT", "DOUBLE")
"""Physical types whose raw bounds are numbers."""


@dataclass(frozen=True)
class Chunk:
    """A column in one row group. `nulls` and `bounds` are None where the footer has none; bounds are raw."""

    nulls: int | None
    values: int
    bounds: tuple[Any, Any] | None

    @property
    def all_null(self) -> bool:
        return self.values > 0 and self.nulls == self.values

    @property
    def unbounded(self) -> bool:
        return self.bounds is None and not self.all_null and self.values > 0


@dataclass(frozen=True)
class Stored:
    """A column in one file: Parquet's physical and logical type, a chunk for each row group.

    `digits` are a decimal's: all of them, and those after the point.
    """

    physical: str
    logical: str
    """As Arrow shows it, with its parameters: `Timestamp(isAdjustedToUTC=true, timeUnit=milliseconds, …)`."""
    digits: tuple[int, int]
    chunks: tuple[Chunk, ...]

    @property
    def unit(self) -> str:
        """Of a timestamp that is not in microseconds."""
        return next((unit for unit in UNITS if f"timeUnit={unit}" in self.logical), "")


@dataclass(frozen=True)
class Footer:
    uri: str
    rows: int
    columns: Mapping[str, Stored]
    """By path; columns inside lists and maps are left out."""
    repeated: tuple[str, ...]
    """Paths of columns inside lists and maps."""
    nullable: tuple[str, ...]
    """Names of columns at the top that are not REQUIRED."""
    avro: str
    """The Avro schema that parquet-avro keeps, or empty."""


def read_footer(objects: Objects, uri: str) -> Footer:
    """Raises Malformed if the file is missing or not Parquet."""
    try:
        with objects.open(uri) as stream, pq.ParquetFile(stream) as file:
            return _footer(uri, file.metadata, file.schema_arrow)
    except (OSError, pa.ArrowException, ValueError) as error:
        raise _not_read(uri, error) from error


def _not_read(uri: str, error: Exception) -> Malformed:
    return Malformed(uri, f"has no Parquet footer that can be read: {first_line(error)}")


def read_footers(objects: Objects, uris: Iterable[str]) -> tuple[Footer, ...]:
    """Those that can be read: the others count as not read. Raises Problem if none of them can."""
    tried = objects.each(partial(_tried, objects), [*uris], _not_read)
    read = tuple(one for one in tried if isinstance(one, Footer))
    if tried and not read:
        raise Problem(str(tried[0]))
    return read


def _tried(objects: Objects, uri: str) -> Footer | Malformed:
    try:
        return read_footer(objects, uri)
    except Malformed as error:
        return error


def _footer(uri: str, metadata: pq.FileMetaData, schema: pa.Schema) -> Footer:
    kept = metadata.metadata or {}
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    columns, repeated = {}, []
    for place in range(metadata.num_columns):
        of = metadata.schema.column(place)
        if of.max_repetition_level:
            repeated.append(of.path)
            continue
        chunks = tuple(_chunk(group.column(place)) for group in groups)
        columns[of.path] = Stored(of.physical_type, str(of.logical_type), (of.precision, of.scale), chunks)
    avro = kept.get(b"parquet.avro.schema", b"").decode("utf-8", "replace")
    nullable = tuple(field.name for field in schema if field.nullable)
    return Footer(uri, metadata.num_rows, columns, tuple(repeated), nullable, avro)


def _chunk(column: pq.ColumnChunkMetaData) -> Chunk:
    statistics = column.statistics
    if statistics is None:
        return Chunk(None, column.num_values, None)
    bounds = (statistics.min_raw, statistics.max_raw) if statistics.has_min_max else None
    return Chunk(statistics.null_count if statistics.has_null_count else None, column.num_values, bounds)


def shown(leaf: SourceLeaf, footers: Sequence[Footer], *, all_read: bool) -> dict[ColumnFact, FactAnswer]:
    """The facts of one column: those that no footer shows are open unless every live file's was read."""
    seen: set[ColumnFact] = {ColumnFact.MILLISECONDS} if leaf.millis else set()
    path = ".".join(leaf.stored)
    columns = [footer.columns[path] for footer in footers if path in footer.columns]
    for column in columns:
        seen |= set(_of_file(leaf.type, column))
    facts = dict.fromkeys(seen, FactAnswer.YES)
    undecided: Iterable[ColumnFact] = () if all_read else OF_FOOTERS
    if ColumnFact.INT96 in seen:
        undecided = (*undecided, ColumnFact.SUB_MILLISECOND)
    return dict.fromkeys(undecided, FactAnswer.OPEN) | facts


OF_FOOTERS = tuple(fact for fact in ColumnFact if not fact.name.startswith(("LOG_", "MANIFEST_")))


def _of_file(type: str, column: Stored) -> Iterator[ColumnFact]:
    unbounded = any(chunk.unbounded for chunk in column.chunks)
    if any(chunk.bounds for chunk in column.chunks):
        yield ColumnFact.BOUNDS
        if unbounded:
            yield ColumnFact.PART_BOUNDS
    if any(chunk.nulls is None for chunk in column.chunks):
        yield ColumnFact.NO_NULL_COUNT
    if any(chunk.all_null for chunk in column.chunks):
        yield ColumnFact.NULLS
        if all(chunk.all_null for chunk in column.chunks):
            yield ColumnFact.NULL_FILE
        elif column.physical in NUMBERS and _excludes_zero([one.bounds for one in column.chunks if one.bounds]):
            yield ColumnFact.NULL_GROUP
    if column.physical == NARROWER.get(type) and not all(chunk.all_null for chunk in column.chunks):
        yield ColumnFact.NARROWER
    if column.physical == "INT96":
        yield ColumnFact.INT96
    elif unbounded:
        yield ColumnFact.NO_BOUNDS
    if column.unit:
        yield UNITS[column.unit]
    if column.physical in PHYSICAL.get(type, ()):
        bounds = [chunk.bounds for chunk in column.chunks if chunk.bounds is not None]
        yield from _of_bounds(type, bounds, unbounded=unbounded, micros=not column.unit, digits=column.digits)


def _of_bounds(
    type: str, bounds: Sequence[tuple[Any, Any]], *, unbounded: bool, micros: bool, digits: tuple[int, int]
) -> Iterator[ColumnFact]:
    """What the bounds of one file's row groups show of a column of that type."""
    every = [bound for pair in bounds for bound in pair]
    match type:
        case "float" | "double" if unbounded or any(map(math.isnan, every)):
            yield ColumnFact.NAN
        case "date":
            if any(LOST_DAYS[0] <= bound <= LOST_DAYS[1] for bound in every):
                yield ColumnFact.LOST_DAYS
            if any(upper > LAST_DAY for _, upper in bounds):
                yield ColumnFact.YEAR_10000
        case "timestamp" if micros:
            if any(upper % MILLISECOND for _, upper in bounds):
                yield ColumnFact.SUB_MILLISECOND
            if bounds and max(upper for _, upper in bounds) % SECOND >= MILLISECOND:
                yield ColumnFact.MILLISECOND_PART
            if any(bound < GREGORIAN for bound in every):
                yield ColumnFact.BEFORE_1582
            if any(bound < 0 and bound % SECOND for bound in _of_whole_file(bounds)):
                yield ColumnFact.BEFORE_1970
        case "decimal" if any(is_rounded_up(bound, *digits) for bound in every):
            yield ColumnFact.DOUBLE_DIGITS
        case "string" if _differs(bounds, _utf16):
            yield ColumnFact.ORDER_UTF16
        case "bytes" | "fixed" if _differs(bounds, _signed):
            yield ColumnFact.ORDER_SIGNED


def _of_whole_file(bounds: Sequence[tuple[Any, Any]]) -> tuple[Any, ...]:
    """The lower and the upper bound of all row groups; empty if none has bounds."""
    return (min(low for low, _ in bounds), max(high for _, high in bounds)) if bounds else ()


def _excludes_zero(bounds: Sequence[tuple[Any, Any]]) -> bool:
    """Whether zero is beyond the bounds of all row groups."""
    lower, upper = _of_whole_file(bounds) or (0, 0)
    return bool(lower > 0 or upper < 0)


def is_rounded_up(raw: Any, precision: int, scale: int) -> bool:
    """Whether the nearest double of a decimal has a digit more before the point than the decimal's type."""
    unscaled: int = int.from_bytes(raw, "big", signed=True) if isinstance(raw, bytes) else raw
    return precision > 0 and abs(unscaled / 10**scale) >= float(10 ** (precision - scale))


def _differs(bounds: Sequence[tuple[bytes, bytes]], key: Any) -> bool:
    """Whether the least lower or the greatest upper bound is another by that order than by unsigned bytes."""
    if len(bounds) < 2:
        return False
    lower, upper = [low for low, _ in bounds], [high for _, high in bounds]
    return min(lower, key=key) != min(lower) or max(upper, key=key) != max(upper)


def _utf16(text: bytes) -> bytes:
    """In the order of Java's String.compareTo."""
    return text.decode("utf-8", "replace").encode("utf-16-be", "surrogatepass")


def _signed(content: bytes) -> list[int]:
    """In the order of Java's ByteBuffer.compareTo."""
    return [byte - 256 if byte > 127 else byte for byte in content]
