"""Types of the register's fields, and its tables read by them. What does not fit is one sentence."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from datetime import date
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar, cast

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)

# The one exception for a register that cannot be used.


class BadRegister(ValueError):
    """The register is invalid. The text names the entry, the error and the correction."""


class Row:
    """The base of what a table of the register is read as: it has no other fields."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def _range(text: Any) -> SpecifierSet:
    try:
        return SpecifierSet(text)
    except (InvalidSpecifier, InvalidVersion, TypeError, AttributeError) as error:
        raise ValueError("must be a range of releases like '>=0.3,<0.5'") from error


def _day(text: Any) -> date:
    try:
        return date.fromisoformat(text)
    except (ValueError, TypeError) as error:
        raise ValueError('must be a date like "2026-11-22"') from error


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len({*names}) < len(names):
        raise ValueError("must name each once")
    return names


Text = Annotated[str, StringConstraints(pattern=r"\S")]
Texts = Annotated[tuple[Text, ...], Field(min_length=1), AfterValidator(_each_once)]
OneOrMore = Annotated[Texts, BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]
"""A text stands for a list of it."""
Releases = Annotated[SpecifierSet, PlainValidator(_range)]
Day = Annotated[date, PlainValidator(_day)]
MUST_BE = {
    "string_type": "text",
    "string_pattern_mismatch": "text",
    "tuple_type": "a list of one text or more",
    "too_short": "a list of one text or more",
    "dataclass_type": "a table",
    "dict_type": "a table",
    "int_type": "a number",
    "int_parsing": "a number",
    "greater_than": "above 0",
}
"""By pydantic's type of an error."""
T = TypeVar("T", bound=Row)


def read(kind: type[T], label: str, row: Any, also: Collection[str] = ()) -> T:
    """The table as a dataclass of that kind. Raises BadRegister; `also` are fields that an unknown one may mean."""
    try:
        return cast("T", _adapter(cast("Any", kind)).validate_python(row))
    except ValidationError as error:
        known = sorted({field.name for field in fields(kind)} | {*also})  # type: ignore[arg-type]
        raise BadRegister(_sentence(label, error.errors(include_url=False), known)) from error


@lru_cache
def _adapter(kind: type[Row]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _sentence(label: str, errors: Sequence[Any], known: Collection[str]) -> str:
    missing = sorted(str(one["loc"][-1]) for one in errors if one["type"] == "missing")
    first = next((one for one in errors if one["type"] == "unexpected_keyword_argument"), errors[0])
    *within, field = ("", *(part for part in first["loc"] if isinstance(part, str)))
    label = ": ".join([label, *filter(None, within)])
    if first["type"] == "unexpected_keyword_argument":
        return f"{label} has the unknown field {field!r}; {near(field, known)}"
    if missing:
        return f"{label} has no {', '.join(missing)}."
    given = first["input"]
    if first["type"] == "enum":
        words = first["ctx"]["expected"].strip("'").replace("' or '", "', '").split("', '")
        return f"{label}: {given!r} is no word for {field}; {near(str(given), words)}"
    if first["type"] == "value_error":
        must = str(first["ctx"]["error"])
        return f"{label}: {field} {must}, not {given!r}." if must.startswith("must") else f"{label}: {must}"
    must = MUST_BE.get(first["type"], first["msg"])
    return f"{label}: {field} must be {must}, not {given!r}." if field else f"{label} must be {must}, not {given!r}."


def near(word: str, words: Collection[str]) -> str:
    """A suggestion: the closest word, else what there is."""
    close = get_close_matches(word, words, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are {', '.join([*words][:20])}."


def one_of(words: Sequence[str], field: str) -> AfterValidator:
    """Of a text: it is one of these words."""

    def check(word: str) -> str:
        if word not in words:
            raise ValueError(f"{word!r} is no word for {field}; {near(word, words)}")
        return word

    return AfterValidator(check)


def check_known(label: str, what: str, values: Sequence[str], known: Mapping[str, set[str]]) -> None:
    for value in values:
        if value not in known[what]:
            raise BadRegister(f"{label} names the {what} {value!r}; {near(value, sorted(known[what]))}")


def parsed(file: Path) -> dict[str, Any]:
    """The TOML of the file. Raises BadRegister."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadRegister(f"{file.name} cannot be read: {error}") from error


def tables(label: str, field: str, rows: Any, *, begin: str) -> list[dict[str, Any]]:
    """The rows, a list of tables, each of which begins with `begin`."""
    if not isinstance(rows, list) or not all(isinstance(one, dict) for one in rows):
        raise BadRegister(f"{label}: {field} must be a list of tables; begin each with {begin}.")
    return rows
