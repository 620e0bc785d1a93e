"""Real trips: the TLC's monthly Parquet files of one colour, brought to one set of names and types.

The published files differ from month to month: an int is a long or a double elsewhere, `airport_fee` is `Airport_fee`,
an all-empty `ehail_fee` has the type null. So each file is read on its own and cast, and only then are they united.
Their timestamps are wall times without a zone; they are kept as they read, as UTC (Hudi 0.15 refuses TIMESTAMP_NTZ).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_jobs.columns import COLOURS, Colour
from spark_jobs.trips import Trips, with_pickup_month
from xtable_audit.model.problem import Problem


@dataclass(frozen=True)
class Month:
    """One readable file. `spelling` gives the file's own name of each column, None where the file has only nulls."""

    path: Path
    rows: int
    colour: Colour
    spelling: dict[str, str | None]


def find(folder: Path) -> list[Month]:
    """The folder's files in order of their names, each looked at without reading its rows.

    Raises Problem, naming file and column, for a folder or a file that is no use.
    """
    paths = sorted(folder.glob("*.parquet")) if folder.is_dir() else []
    if not paths:
        raise Problem(f"There are no .parquet files in {folder}: --tlc takes a folder of monthly TLC trip files.")
    months = [look_at(path) for path in paths]
    first = months[0]
    for month in months:
        if month.colour != first.colour:
            raise Problem(
                f"{first.path.name} holds {first.colour.name} trips and {month.path.name} holds {month.colour.name} "
                f"ones: put the files of one colour into a folder of their own."
            )
    return months


def look_at(path: Path) -> Month:
    """What the file's footer says. Raises Problem unless every column is there in a type that can be normalised."""
    try:
        with pq.ParquetFile(path) as file:
            schema, rows = file.schema_arrow, file.metadata.num_rows
    except (pa.ArrowException, OSError) as error:
        raise Problem(f"{path} is not a readable Parquet file ({first_line(error)}): download it again.") from error
    fields = {field.name.lower(): field for field in schema}
    colour = next((colour for colour in COLOURS if colour.pickup in fields), None)
    if colour is None:
        pickups = " nor ".join(colour.pickup for colour in COLOURS)
        raise Problem(f"{path} has neither column {pickups}: it is no yellow or green TLC trip file.")
    spellings = {name: spelling(path, fields, name, type_) for name, type_ in colour.columns.items()}
    return Month(path, rows, colour, spellings)


def spelling(path: Path, fields: dict[str, pa.Field], name: str, wanted: str) -> str | None:
    """The file's own name of a column, None where the column has no values at all."""
    field = fields.get(name.lower())
    if field is None:
        raise Problem(f"{path} has no column {name}: it is not a monthly TLC file as published.")
    if pa.types.is_null(field.type) and wanted != "timestamp":
        return None
    if not becomes(field.type, wanted):
        raise Problem(f"{path}: column {name} has the type {field.type}, which cannot become {wanted}.")
    return str(field.name)


def becomes(found: pa.DataType, wanted: str) -> bool:
    """Whether a file's type is one of those that the published files use for such a column."""
    if wanted == "timestamp":
        return bool(pa.types.is_timestamp(found)) and found.unit != "ns"  # which Spark does not read
    if wanted == "string":
        return bool(pa.types.is_string(found) or pa.types.is_large_string(found))
    return bool(pa.types.is_integer(found) or pa.types.is_floating(found))


def read(spark: SparkSession, months: list[Month], year: int) -> Trips:
    """The trips of all files picked up in that year. Raises Problem where there are none."""
    pickup = months[0].colour.pickup
    frames = [read_month(spark, month) for month in months]
    kept = reduce(DataFrame.unionByName, frames).where(F.year(pickup) == year)
    with as_problems():
        if kept.isEmpty():
            raise Problem(f"No trip in {months[0].path.parent} was picked up in {year}: choose another --year.")
    return with_pickup_month(kept, pickup)


def read_month(spark: SparkSession, month: Month) -> DataFrame:
    """One file under the common names and types."""
    rows = spark.read.parquet(month.path.absolute().as_uri())
    return rows.select(*(normalised(month.spelling[name], name, type_) for name, type_ in month.colour.columns.items()))


def normalised(spelled: str | None, name: str, type_: str) -> Column:
    column = F.lit(None) if spelled is None else F.col(f"`{spelled}`")
    return column.cast(type_).alias(name)


@contextmanager
def as_problems() -> Iterator[None]:
    """Turns Spark's failure over a file whose footer was fine and whose pages are not into a Problem that names it."""
    try:
        yield
    except Problem:
        raise
    except Exception as error:
        broken = re.search(r"Encountered error while reading file (?:file:)?/*(/\S+?)\.(?:\s|$)", str(error))
        if broken is None:
            raise
        raise Problem(f"{broken[1]} is damaged: its rows cannot be read. Download it again.") from error


def first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")
