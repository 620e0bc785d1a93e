"""Yellow taxi trips made up in Spark: the published month counts, columns and types, and plausible values.

Every value is a function of the seed and the row's number alone, so the table is the same on any machine and for any
number of partitions. Nothing is collected to Python. Times are whole seconds and amounts whole cents, as in real life,
which also keeps the files small. The expressions are SQL text, as each one built from Python objects costs some
twenty calls into the JVM.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_jobs.columns import PICKUP_MONTH, YELLOW
from spark_jobs.draws import Draws
from spark_jobs.volume import DEFAULT_SEED, INPUT_PARTITIONS, STRAYS, month_counts

DAY = 86_400
UNRECORDED = 0.023  # trips whose meter sent no passenger count, rate code, flag, congestion surcharge or airport fee
VOIDED = 0.008  # trips booked again with every amount negative

TRIPS_BY_HOUR = (3, 2, 1, 1, 1, 1, 2, 3, 4, 4, 5, 5, 5, 5, 6, 6, 6, 7, 7, 6, 6, 6, 5, 3)
HOURS = [hour for hour, trips in enumerate(TRIPS_BY_HOUR) for _ in range(trips)]
BUSY_ZONES = (237, 236, 161, 132, 162, 142, 186, 230, 170, 138, 163, 234, 48, 239, 141, 68)
AIRPORTS = (132, 138)  # JFK and LaGuardia


@dataclass(frozen=True)
class Trips:
    """A table's rows and the name of their pickup time, which differs between yellow and green."""

    frame: DataFrame
    pickup: str


def with_pickup_month(frame: DataFrame, pickup: str) -> Trips:
    """Adds `pickup_month` ('yyyy-MM', under the session's UTC)."""
    return Trips(frame.withColumn(PICKUP_MONTH, F.date_format(pickup, "yyyy-MM")), pickup)


def generate(spark: SparkSession, scale: float, seed: int = DEFAULT_SEED, partitions: int = INPUT_PARTITIONS) -> Trips:
    """The generated table, unsorted: `month_counts(scale)` rows by pickup month."""
    counts = month_counts(scale)
    draw = Draws(seed)
    stages = [circumstances(counts, draw), journey(draw), fares(draw)]
    published = published_columns(draw)
    rows = spark.range(0, sum(counts.values()), 1, partitions).selectExpr("id", *draw.columns())
    for stage in stages:
        rows = rows.selectExpr("*", *(f"{expression} AS {name}" for name, expression in stage.items()))
    return with_pickup_month(rows.selectExpr(*published), YELLOW.pickup)


def circumstances(counts: dict[str, int], draw: Draws) -> dict[str, str]:
    """When and where a trip starts and ends, how far it is (in hundredths of a mile), what is wrong in its books."""
    miles = f"IF({draw.happens('far', 0.05)}, 9, 0) + 0.2D - 2.4D * ln(1 - {draw.uniform('miles')})"
    return {
        "picked_up": pickup_second(counts, draw),
        "from_zone": zone("from", draw),
        "to_zone": zone("to", draw),
        "hundredths": f"IF({draw.happens('standing', 0.014)}, 0, floor(100 * ({miles})))",
        "recorded": f"NOT {draw.happens('unrecorded', UNRECORDED)}",
        "sign": f"IF({draw.happens('voided', VOIDED)}, -1, 1)",
    }


def pickup_second(counts: dict[str, int], draw: Draws) -> str:
    """The pickup time in seconds since 1970. Rows are numbered month by month, so that the counts are exact."""
    time_of_day = f"{draw.one_of('hour', HOURS)} * 3600 + {draw.below('second', 3600)}"
    reached, cases = 0, []
    for month, rows in counts.items():
        first, days = month_span(month)
        reached += rows
        if month in STRAYS:  # the tail of the file of the month before: most of them just after midnight
            second = f"floor(pow({draw.uniform('stray')}, 8) * {days * DAY})"
        else:
            second = f"{draw.below('day', days)} * {DAY} + {time_of_day}"
        cases.append(f"WHEN id < {reached} THEN {first} + {second}")
    return f"CASE {' '.join(cases)} END"


def month_span(month: str) -> tuple[int, int]:
    """The month's first second since 1970 (UTC), and its number of days."""
    first = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    following = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    return int(first.timestamp()), (following - first).days


def zone(end: str, draw: Draws) -> str:
    """One of the 265 taxi zones; Manhattan's middle and the airports are the busy ones."""
    busy = draw.one_of(f"{end} busy zone", BUSY_ZONES)
    return f"IF({draw.happens(f'{end} busy', 0.6)}, {busy}, {draw.below(f'{end} zone', 265)} + 1)"


def journey(draw: Draws) -> dict[str, str]:
    """Duration in seconds, rate code and way of payment."""
    moving = f"hundredths * (2 + 3 * {draw.uniform('traffic')})"
    void_payment = draw.weighted("void payment", {"4": 60, "3": 40})
    payment = draw.weighted("payment", {"1": 79.5, "2": 18.2, "4": 1.4, "3": 0.9})
    return {
        "duration": f"CASE WHEN {draw.happens('meter left on', 0.003)} THEN {DAY} - {draw.below('left on', 600)} "
        f"WHEN {draw.happens('no time', 0.0005)} THEN 0 "
        f"ELSE floor(90 + {moving} + 240 * {draw.uniform('lights')}) END",
        "rate_code": draw.weighted("rate", {"1": 94.4, "2": 3.9, "5": 0.7, "99": 0.5, "3": 0.3, "4": 0.2}),
        "payment": f"CASE WHEN NOT recorded THEN 0 WHEN sign < 0 THEN {void_payment} ELSE {payment} END",
    }


def fares(draw: Draws) -> dict[str, str]:
    """The charges in cents. The meter: 3.00, and 70 cents every fifth of a mile or minute of waiting; JFK 70.00."""
    fare = "IF(rate_code = 2, 7000, 300 + 70 * floor(hundredths / 20D + duration % 300 / 60D))"
    tip_rate = draw.weighted("tip", {"20": 48, "25": 19, "0": 17, "30": 16})
    return {
        "fare": fare,
        "tip": f"IF(payment = 1, {fare} * {tip_rate} div 100, 0)",
        "extra_": draw.weighted("extra", {"0": 44, "250": 27, "100": 24, "500": 5}),
        "tax": draw.weighted("tax", {"50": 99.2, "0": 0.8}),
        "toll": draw.weighted("toll", {"0": 92, "655": 7.4, "1275": 0.6}),
        "improvement": draw.weighted("improvement", {"100": 99.5, "30": 0.5}),
        "congestion": draw.weighted("congestion", {"250": 92, "0": 8}),
        "airport": f"IF(from_zone IN {AIRPORTS}, 125, 0)",
    }


def published_columns(draw: Draws) -> list[str]:
    """The published names and types, in the published order."""
    passengers = {"1": 74, "2": 15, "3": 3.7, "4": 2, "0": 2, "5": 1.7, "6": 1.1, "8": 0.001}
    values = {
        "VendorID": draw.weighted("vendor", {"2": 73, "1": 27}),
        "tpep_pickup_datetime": "timestamp_seconds(picked_up)",
        "tpep_dropoff_datetime": "timestamp_seconds(picked_up + duration)",
        "passenger_count": f"IF(recorded, {draw.weighted('passengers', passengers)}, NULL)",
        "trip_distance": "hundredths / 100D",
        "RatecodeID": "IF(recorded, rate_code, NULL)",
        "store_and_fwd_flag": f"IF(recorded, {draw.weighted('flag', {repr('N'): 99.3, repr('Y'): 0.7})}, NULL)",
        "PULocationID": "from_zone",
        "DOLocationID": "to_zone",
        "payment_type": "payment",
        "fare_amount": dollars("fare"),
        "extra": dollars("extra_"),
        "mta_tax": dollars("tax"),
        "tip_amount": dollars("tip"),
        "tolls_amount": dollars("toll"),
        "improvement_surcharge": dollars("improvement"),
        "total_amount": dollars("(fare + tip + extra_ + tax + toll + improvement + congestion + airport)"),
        "congestion_surcharge": f"IF(recorded, {dollars('congestion')}, NULL)",
        "airport_fee": f"IF(recorded, {dollars('airport')}, NULL)",
    }
    return [optional(values[name], type_, name) for name, type_ in YELLOW.columns.items()]


def dollars(cents: str) -> str:
    return f"sign * {cents} / 100D"


def optional(expression: str, type_: str, name: str) -> str:
    """A column that may hold nulls, as every column of the published files may: a CASE without an ELSE."""
    return f"CASE WHEN true THEN CAST({expression} AS {type_}) END AS {name}"
