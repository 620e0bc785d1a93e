"""Checks of the fields of the register's tables, whatever they mean. Each raises BadRegister, with one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion

from xtable_audit.register.bad_register import BadRegister

LISTS = {
    *("claims", "subjects", "except", "columns", "readers", "planners", "questions"),
    *("proven_by", "held_by", "recovers_by", "rules", "formerly"),
}
EITHER = {"saw"}
"""A text, or a list of them."""
OF_ANOTHER_SHAPE = {"threads", "code", "main", "hudi_main", "warm", "lines", "affects"}
"""Fields that are neither text nor a non-empty list of texts. Each has its own check."""


def check_fields(label: str, row: Mapping[str, Any], allowed: set[str]) -> None:
    for field, value in row.items():
        if field not in allowed:
            raise BadRegister(f"{label} has the unknown field {field!r}; {_known(field, allowed)}")
        if field in OF_ANOTHER_SHAPE:
            continue
        if field in EITHER and isinstance(value, str) and value.strip():
            continue
        if field not in LISTS | EITHER and not (isinstance(value, str) and value.strip()):
            raise BadRegister(f"{label}: {field} must be text, not {value!r}.")
        if field in LISTS | EITHER and not (
            isinstance(value, list) and value and all(isinstance(v, str) for v in value)
        ):
            raise BadRegister(f"{label}: {field} must be a list of one text or more, not {value!r}.")
        if field in LISTS | EITHER and len(set(value)) < len(value):
            raise BadRegister(f"{label}: {field} names something twice.")


def require(label: str, row: Mapping[str, Any], fields: set[str]) -> None:
    missing = fields - set(row)
    if missing:
        raise BadRegister(f"{label} has no {', '.join(sorted(missing))}.")


def check_known(label: str, what: str, values: Sequence[str], known: Mapping[str, set[str]]) -> None:
    for value in values:
        if value not in known[what]:
            raise BadRegister(f"{label} names the {what} {value!r}; {_known(value, known[what])}")


def _known(value: str, known: set[str]) -> str:
    """A suggestion: the closest known value, else a list of known values."""
    close = get_close_matches(value, known, n=1)
    return f"did you mean {close[0]!r}?" if close else "known are " + ", ".join(sorted(known)[:12]) + "."


def is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def range_of(label: str, text: str) -> SpecifierSet:
    try:
        return SpecifierSet(text)
    except (InvalidSpecifier, InvalidVersion) as error:
        raise BadRegister(f"{label} has a bad range of releases ({error}); write one like '>=0.3,<0.5'.") from error


def date_of(label: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadRegister(f'{label} must be a date like "2026-11-22", not {text!r}.') from error


def member(label: str, field: str, value: str, words: Any) -> str:
    if value not in list(words):
        raise BadRegister(f"{label}: {value!r} is no {field}; there are {', '.join(words)}.")
    return value
