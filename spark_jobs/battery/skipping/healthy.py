"""skip_*: healthy tables: every type that Hudi's statistics hold, and every partition value a path can spell."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

from spark_jobs.battery.partitions import ENCODED
from spark_jobs.battery.skipping.common import ZIPS, lab
from spark_jobs.battery.table import File, file, write
from spark_jobs.battery.values import EMOJI

STATES = ("AK", "AL", "AR", "AZ", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "NY")
FILES = 3
"""In each state."""
ROWS = 6
"""In each file."""
EMPTY_FILE = (2, 1)
"""The state, by its place, and its file without a value in any indexed column."""
EMPTY_STATE = 7
"""The state without a value in any indexed column."""

INDEXED: dict[str, pa.DataType] = {
    "zip_code": pa.string(),
    "name": pa.string(),
    "number": pa.int32(),
    "large": pa.int64(),
    "ratio": pa.float64(),
    "price": pa.decimal128(10, 2),
    "exact": pa.decimal128(38, 10),
    "day": pa.date32(),
    "moment": pa.timestamp("us", "UTC"),
    "flag": pa.bool_(),
}
SCHEMA = {"state": pa.string()} | INDEXED | {"beside": pa.int32()}
NAMES = ("Ada", "Zoë", "éclair", "ß", "中", EMOJI, "")


def values(state: int, number: int, row: int) -> dict[str, Any]:
    """A row's values by column. The values of a state lie together, except the texts; every fifth row lacks some."""
    place = (state * FILES + number) * ROWS + row
    spread = place * 37 % 211
    made: dict[str, Any] = {
        "zip_code": f"{state * 8000 + spread:05d}",
        "name": f"{NAMES[(place * 5) % len(NAMES)]}{place % 9}",
        "number": state * 1000 - 4000 + spread,
        "large": (state - 5) * 10**12 + spread,
        "ratio": (state - 6) * 100 + spread / 8,
        "price": Decimal(state * 100_000 - 500_000 + spread * 7) / 100,
        "exact": Decimal((state - 4) * 10**15 + spread) / 10**10,
        "day": date(1960 + 5 * state, 1, 1) + timedelta(days=spread),
        "moment": datetime(1965 + 5 * state, 6, 1, tzinfo=UTC) + timedelta(hours=spread, microseconds=place),
        "flag": state % 3 == 0 if number else row % 2 == 0,
    }
    lacking = state == EMPTY_STATE or (state, number) == EMPTY_FILE
    here = {
        column: None if lacking or (row % 2 and (place + position) % 5 == 0) else made[column]
        for position, column in enumerate(INDEXED)
    }
    return {"state": STATES[state]} | here | {"beside": place % 10}


def rows(state: int, number: int) -> File:
    made = [values(state, number, row) for row in range(ROWS)]
    return file(
        state=STATES[state], **{column: [one[column] for one in made] for column in SCHEMA if column != "state"}
    )


TYPES = lab(
    "types",
    "Every type that Hudi's statistics hold, with nulls, a file and a state of nulls alone, and a column left out.",
    write("bulk_insert", SCHEMA, *(rows(state, number) for state in range(len(STATES)) for number in range(FILES))),
    columns=",".join(INDEXED),
)

PATHS = lab(
    "paths",
    "Partition values that are null, or url-encoded in the path.",
    write(
        "bulk_insert",
        ZIPS,
        *(
            file(state=[state], zip_code=[f"{number}0000"])
            for number, state in enumerate((None, "A/B c%", "x=y", "é", "NY"))
        ),
    ),
    options=ENCODED,
)

TABLES = (TYPES, PATHS)
