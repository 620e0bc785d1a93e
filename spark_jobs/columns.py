"""The columns of a taxi table: names and types after normalising, for both colours. Pure Python, no Spark.

Source: the TLC's trip record data dictionaries and the published 2023 Parquet files. The order is the files' own.
"""

from __future__ import annotations

from dataclasses import dataclass

PICKUP_MONTH = "pickup_month"  # derived from the pickup time, 'yyyy-MM'
LAYOUT_BUCKET = "layout_bucket"  # the bad layout's constant partition column


@dataclass(frozen=True)
class Colour:
    """One kind of taxi: its name, its pickup column, and Spark SQL type by column name."""

    name: str
    pickup: str
    columns: dict[str, str]


YELLOW = Colour(
    "yellow",
    "tpep_pickup_datetime",
    {
        "VendorID": "bigint",
        "tpep_pickup_datetime": "timestamp",
        "tpep_dropoff_datetime": "timestamp",
        "passenger_count": "double",
        "trip_distance": "double",
        "RatecodeID": "double",
        "store_and_fwd_flag": "string",
        "PULocationID": "bigint",
        "DOLocationID": "bigint",
        "payment_type": "bigint",
        "fare_amount": "double",
        "extra": "double",
        "mta_tax": "double",
        "tip_amount": "double",
        "tolls_amount": "double",
        "improvement_surcharge": "double",
        "total_amount": "double",
        "congestion_surcharge": "double",
        "airport_fee": "double",
    },
)

GREEN = Colour(
    "green",
    "lpep_pickup_datetime",
    {
        "VendorID": "bigint",
        "lpep_pickup_datetime": "timestamp",
        "lpep_dropoff_datetime": "timestamp",
        "store_and_fwd_flag": "string",
        "RatecodeID": "double",
        "PULocationID": "bigint",
        "DOLocationID": "bigint",
        "passenger_count": "double",
        "trip_distance": "double",
        "fare_amount": "double",
        "extra": "double",
        "mta_tax": "double",
        "tip_amount": "double",
        "tolls_amount": "double",
        "ehail_fee": "double",
        "improvement_surcharge": "double",
        "total_amount": "double",
        "payment_type": "bigint",
        "trip_type": "double",
        "congestion_surcharge": "double",
    },
)

COLOURS = (YELLOW, GREEN)
