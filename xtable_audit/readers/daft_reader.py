"""Daft: `read_iceberg`, planned through PyIceberg, read by its own Parquet reader."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

# Daft sends usage statistics by default. It reads these variables only on import or on its first query.
os.environ["DAFT_ANALYTICS_ENABLED"] = "0"
os.environ.setdefault("DAFT_PROGRESS_BAR", "0")

import daft
from daft.io import IOConfig, S3Config

from xtable_audit.access.s3 import S3
from xtable_audit.model.aggregate import Aggregate, Applied
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.readers.expressions import COMPARISONS
from xtable_audit.readers.pyiceberg_reader import column_types, open_table
from xtable_audit.readers.reader import Answer, NotOffered, column_to_read


class DaftReader:
    name: ClassVar[str] = "daft"

    def __init__(self, store: S3, handle: Any = None) -> None:
        self._store = store
        self._io = IOConfig(
            s3=S3Config(
                endpoint_url=store.endpoint,
                key_id=store.access_key,
                access_key=store.secret_key,
                session_token=store.session_token,
                region_name=store.region,
                use_ssl=store.tls,
                force_virtual_addressing=False,
            )
        )

    @property
    def version(self) -> str:
        return str(daft.__version__)

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        table = open_table(metadata_location, self._store)
        column = column_to_read(column_types(table), predicate)
        frame = daft.read_iceberg(table, io_config=self._io)
        if predicate is not None:
            frame = frame.where(expression(predicate))
        rows = sum(batch.num_rows for batch in frame.select(daft.col(column)).to_arrow_iter())
        return Answer(rows)

    def aggregate(self, metadata_location: str, asked: Sequence[Aggregate], shortcut: bool = True) -> Sequence[Any]:
        """As `AggregatingReader.aggregate`. No setting turns a shortcut off."""
        if not shortcut:
            raise NotOffered
        frame = daft.read_iceberg(open_table(metadata_location, self._store), io_config=self._io)
        if asked[0].form != "aggregate":
            return [_of_form(frame, asked[0])]
        if (predicate := asked[0].predicate) is not None:
            frame = frame.where(expression(predicate))
        return [_aggregate(frame, one) for one in asked]


def _aggregate(frame: daft.DataFrame, asked: Aggregate) -> Any:
    if asked.column is None:
        return frame.count_rows()
    value = getattr(daft.col(asked.column), asked.function)().alias("value")
    return frame.agg(value).to_pydict()["value"][0]


def _of_form(frame: daft.DataFrame, asked: Aggregate) -> Any:
    match asked:
        case Aggregate(form="join", predicate=In(column, values)):
            keys = daft.from_pydict({column: list(values)}).select(daft.col(column).cast(frame.schema()[column].dtype))
            return sum(batch.num_rows for batch in frame.select(column).join(keys, on=column).to_arrow_iter())
        case Aggregate(form="applied", applied=str(function), value=value):
            [column] = asked.columns
            rows = frame.where(APPLIED[function](daft.col(column)) == daft.lit(value))
            return sum(batch.num_rows for batch in rows.select(column).to_arrow_iter())
        case Aggregate(form="top", column=str(column)):
            first = frame.select(column).sort(column, desc=asked.function == "max", nulls_first=False).limit(1)
            return next(iter(first.to_pydict()[column]), None)
        case Aggregate(form="limit", limit=int(limit)):
            return sum(batch.num_rows for batch in frame.limit(limit).to_arrow_iter())
    raise NotOffered


APPLIED: Mapping[Applied, Callable[[daft.Expression], daft.Expression]] = {
    "date": lambda column: column.date(),
    "month": lambda column: column.month(),
    "lower": lambda column: column.lower(),
    "abs": lambda column: column.abs(),
    "text": lambda column: column.cast(daft.DataType.string()),
}


def expression(predicate: Predicate) -> daft.Expression:
    """A predicate as Daft writes it."""
    match predicate:
        case And(left, right):
            return expression(left) & expression(right)
        case Or(left, right):
            return expression(left) | expression(right)
        case Compare(column, operator, value):
            compared: daft.Expression = COMPARISONS[operator](daft.col(column), daft.lit(value))
            return compared
        case In(column, values, negated):
            listed = daft.col(column).is_in(list(values))
            return ~listed if negated else listed
        case IsNull(column, negated):
            return daft.col(column).not_null() if negated else daft.col(column).is_null()
        case StartsWith(column, prefix):
            return daft.col(column).startswith(prefix)
    raise TypeError(f"no Daft expression for a {type(predicate).__name__}")
