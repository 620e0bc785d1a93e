"""Aggregates as SQL, in each form in which they are asked."""

from __future__ import annotations

from collections.abc import Sequence

from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.predicate import In
from xtable_audit.readers.sql_dialects import Dialect

KEY = "xtable_audit_key"
"""The column of a join's other side, which no table has."""


def in_sql(asked: Sequence[Aggregate], table: str, sql: Dialect) -> str:
    """One query for aggregates over the same rows of `table`; of another form there is one aggregate."""
    match asked[0]:
        case Aggregate(form="join", predicate=In(column, values)):
            keys = " UNION ALL ".join(f"SELECT {sql.key(column, value)} AS {KEY}" for value in values)
            return f"SELECT count(*) FROM {table} AS asked_of JOIN ({keys}) AS keys ON {sql.column(column)} = {KEY}"
        case Aggregate(form="applied", applied=str(function), value=value):
            [column] = asked[0].columns
            applied = sql.functions[function].format(sql.column(column))
            return f"SELECT count(*) FROM {table} WHERE {applied} = {sql.literal(value)}"
        case Aggregate(form="top", function=function, column=str(column)):
            name, order = sql.column(column), "ASC" if function == "min" else "DESC"
            return f"SELECT {name} FROM {table} ORDER BY {name} {order} NULLS LAST LIMIT 1"
        case Aggregate(form="limit", limit=limit):
            return f"SELECT count(*) FROM (SELECT * FROM {table} LIMIT {limit}) AS limited"
    each = (f"{one.function}({'*' if one.column is None else sql.column(one.column)})" for one in asked)
    return f"SELECT {', '.join(each)} FROM {table}{sql.where(asked[0].predicate)}"
