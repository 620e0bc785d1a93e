"""Predicates as plain JSON, the form in which recordings keep them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith


def spell(predicate: Predicate) -> dict[str, Any]:
    """The predicate as a JSON-serializable dict."""
    match predicate:
        case And(left, right):
            return {"and": [spell(left), spell(right)]}
        case Or(left, right):
            return {"or": [spell(left), spell(right)]}
        case Compare(column, operator, value):
            return {"column": column, "is": operator, "value": _spelled(value)}
        case In(column, values, negated):
            return {"column": column, "is": "not in" if negated else "in", "values": [_spelled(one) for one in values]}
        case IsNull(column, negated):
            return {"column": column, "is": "not null" if negated else "null"}
        case StartsWith(column, prefix):
            return {"column": column, "is": "starts with", "value": _spelled(prefix)}
    raise TypeError(f"{type(predicate).__name__} is not a predicate that can be spelled")


def read(spelled: Mapping[str, Any]) -> Predicate:
    """Reverses `spell`. Raises KeyError or ValueError for other input."""
    for word, both in (("and", And), ("or", Or)):
        if word in spelled:
            left, right = spelled[word]
            return both(read(left), read(right))
    column = spelled["column"]
    match spelled["is"]:
        case "in" | "not in" as word:
            return In(column, tuple(_read(one) for one in spelled["values"]), negated=word == "not in")
        case "null" | "not null" as word:
            return IsNull(column, negated=word == "not null")
        case "starts with":
            return StartsWith(column, _read(spelled["value"]))
        case operator:
            return Compare(column, operator, _read(spelled["value"]))


def _spelled(value: Any) -> list[Any]:
    """Type and text of a value; JSON has neither dates nor decimals."""
    match value:
        case bool() | int() | str():
            return [type(value).__name__, value]
        case bytes():
            return ["bytes", base64.b64encode(value).decode()]
        case datetime() | date():
            return [type(value).__name__, value.isoformat()]
        case float() | Decimal():
            return [type(value).__name__, str(value)]
    raise TypeError(f"{value!r} is no value of a predicate")


def _read(spelled: list[Any]) -> Any:
    kind, text = spelled
    match kind:
        case "bytes":
            return base64.b64decode(text)
        case "datetime":
            return datetime.fromisoformat(text)
        case "date":
            return date.fromisoformat(text)
        case "float":
            return float(text)
        case "Decimal":
            return Decimal(text)
    return text
