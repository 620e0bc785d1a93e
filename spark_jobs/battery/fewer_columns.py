"""history_* and delta_*: tables of which several columns are dropped, between two syncs or one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from spark_jobs.battery.delta import delta
from spark_jobs.battery.histories import history
from spark_jobs.battery.table import Step, file, write

DROP = {"hoodie.datasource.write.schema.allow.auto.evolution.column.drop": "true"}
TYPES: Mapping[str, pa.DataType] = {"keep": pa.int32(), "x": pa.int32(), "y": pa.string()}
VALUES: Mapping[str, Sequence[object]] = {"keep": (1, 2), "x": (10, 20), "y": ("y1", "y2")}


def commits(*columns: Sequence[str]) -> tuple[Step, ...]:
    """A commit of two rows in a partition of its own for each choice of columns."""
    return tuple(
        write(
            "bulk_insert",
            {"part": pa.string()} | {name: TYPES[name] for name in chosen},
            file(
                record_key=[f"k{number}1", f"k{number}2"],
                part=f"p{number}",
                **{name: VALUES[name] for name in chosen},
            ),
            words=f"columns {', '.join(chosen)}",
        )
        for number, chosen in enumerate(columns, start=1)
    )


TABLES = (
    history("fewer_columns", "Two columns are dropped between two syncs.", commits(["keep", "x", "y"], ["keep"]), DROP),
    history(
        "one_column_fewer",
        "Two columns are dropped, with a sync after each.",
        commits(["keep", "x", "y"], ["keep", "y"], ["keep"]),
        DROP,
    ),
    delta(
        "fewer_columns",
        "Overwritten as a whole with two columns fewer.",
        TYPES,
        file(**VALUES),
        then=(
            write(
                "overwrite",
                {"keep": pa.int32()},
                file(keep=[3, 4]),
                words="overwrite with the column keep alone",
                options={"overwriteSchema": "true"},
            ),
        ),
    ),
)
