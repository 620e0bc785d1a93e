"""How metadata.json is written: values of other types than the specification's, and names that stand twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xtable_audit.formats.iceberg.metadata_json_fields import (
    INT,
    NESTED,
    TABLE,
    ColumnType,
    Field,
    Fields,
    Kind,
    ListOf,
    MapOf,
    Value,
)
from xtable_audit.model.printable import printable, shortened

MOST = 100
"""Objects, and names of each, that are kept: a stranger's file may have millions."""


@dataclass(frozen=True)
class Twice:
    name: str
    times: int
    differ: bool
    """Whether it stands beside different values."""


class Names:
    """The `object_pairs_hook` of a parser: makes objects as the parser would, and keeps what stands twice in them."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[dict[str, Any], list[Twice]]] = {}

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs) and len(self._kept) < MOST:
            self._kept[id(made)] = made, list(_twice(pairs))
        return made

    def of(self, made: dict[str, Any]) -> list[Twice]:
        """What stands twice in this object. Asked once: what is left then is of others."""
        return self._kept.pop(id(made), (made, []))[1]

    def of_others(self) -> Iterator[Twice]:
        return (one for _, found in self._kept.values() for one in found)


def _twice(pairs: Sequence[tuple[str, Any]]) -> Iterator[Twice]:
    times = Counter(name for name, _ in pairs)
    first: dict[str, Any] = {}
    differ = {name for name, value in pairs if times[name] > 1 and not _same(first.setdefault(name, value), value)}
    return (Twice(name, number, name in differ) for name, number in times.most_common(MOST) if number > 1)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


"""Misfits that are kept: a stranger's file may have millions."""
LONGEST = 60
"""Characters of a value or a name that are shown."""


@dataclass(frozen=True)
class Misfit:
    """A value of another type than its field's, or a required field that is not there."""

    saw: str
    expected: str


@dataclass(frozen=True)
class Repeated:
    """A name that stands twice in one object."""

    place: str
    """Where it stands; the name alone in an object that no reader reads."""
    times: int
    differ: bool
    """Whether it has different values, and readers read it."""


@dataclass(frozen=True)
class AsWritten:
    values: int = 0
    """Specified values that were looked at."""
    misfits: tuple[Misfit, ...] = ()
    repeated: tuple[Repeated, ...] = ()


NOT_READ = AsWritten()
Step = tuple[Any, str | int] | None
"""Where a value stands: the step of what holds it, and its name or place there."""


def as_written(raw: Any, names: Names) -> AsWritten:
    """What is wrong with a parsed metadata.json. `names` was the hook of its parser."""
    if not isinstance(raw, dict):
        return AsWritten(1, (Misfit("metadata.json: no object", _words(TABLE)),))
    version = raw["format-version"] if INT.holds(raw.get("format-version")) else 1
    misfits: list[Misfit] = []
    repeated: list[Repeated] = []
    todo: list[tuple[Step, Any, Kind]] = [(None, raw, TABLE)]
    values = 0
    while todo:
        step, holder, kind = todo.pop()
        deeper: list[tuple[Step, Any, Kind]] = []
        for part, value, of in _inside(holder, kind):
            values += 1
            if not _is(value, of):
                if len(misfits) < MOST:
                    misfits.append(Misfit(printable(f"{_place((step, part))}: {_shown(value)}"), _words(of)))
            elif isinstance(value, dict | list) and not isinstance(of, Value):
                deeper.append(((step, part), value, of))
        todo.extend(reversed(deeper))
        if isinstance(holder, dict):
            if len(misfits) < MOST:
                misfits.extend(_missing(step, holder, kind, version))
            for one in names.of(holder):
                is_read = isinstance(kind, MapOf) or one.name in _fields(holder, kind)
                repeated.append(Repeated(_place((step, one.name)), one.times, one.differ and is_read))
    repeated.extend(Repeated(_name(one.name), one.times, differ=False) for one in names.of_others())
    return AsWritten(values, tuple(misfits), tuple(repeated))


def _inside(holder: Any, kind: Kind) -> Iterator[tuple[str | int, Any, Kind]]:
    """The specified values that readers read in a list or an object, each with its place or name."""
    match kind:
        case ListOf():
            yield from ((place, value, kind.of) for place, value in enumerate(holder))
        case MapOf():
            yield from ((name, value, kind.of) for name, value in holder.items())
        case Fields() | ColumnType():
            fields = _fields(holder, kind).items()
            yield from ((name, holder[name], field.kind) for name, field in fields if _is_read(name, field, holder))


def _is_read(name: str, field: Field, holder: Mapping[str, Any]) -> bool:
    return name in holder and not field.is_replaced(holder) and not (field.nullable and holder[name] is None)


def _is(value: Any, kind: Kind) -> bool:
    match kind:
        case Value():
            return kind.holds(value)
        case ListOf():
            return isinstance(value, list)
        case ColumnType() if isinstance(value, dict):
            return isinstance(value.get("type"), str) and value["type"] in NESTED
        case ColumnType():
            return isinstance(value, str)
    return isinstance(value, dict)


def _words(kind: Kind) -> str:
    match kind:
        case Value():
            return kind.words
        case ListOf():
            return "a list"
        case ColumnType():
            return f"a string, or an object whose type is one of {', '.join(NESTED)}"
    return "an object"


def _fields(holder: Mapping[str, Any], kind: Kind) -> Mapping[str, Field]:
    specified = NESTED[holder["type"]] if isinstance(kind, ColumnType) else kind
    return specified.fields if isinstance(specified, Fields) else {}


def _missing(step: Step, holder: Mapping[str, Any], kind: Kind, version: int) -> Iterator[Misfit]:
    fields = _fields(holder, kind)
    for name, field in fields.items():
        is_there = name in holder and not (field.nullable and holder[name] is None)
        is_replaced = field.is_replaced(holder) or (field.unless in fields and fields[field.unless].is_of(version))
        if is_there or is_replaced:
            continue
        if field.is_of(version):
            yield Misfit(f"no {_place((step, name))}", f"{_words(field.kind)}, by format version {version}")
        elif field.beside and field.beside in holder:
            yield Misfit(f"no {_place((step, name))}", f"{_words(field.kind)}, beside {field.beside}")


def _place(step: Step) -> str:
    """As `snapshots[3].timestamp-ms`."""
    parts: list[str] = []
    while step is not None:
        step, part = step
        parts.append(f"[{part}]" if isinstance(part, int) else f".{_name(part)}")
    return shortened("".join(reversed(parts)).removeprefix("."), 3 * LONGEST) or "the whole"


def _name(name: str) -> str:
    return printable(shortened(name, LONGEST))


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = shortened(value, LONGEST) if isinstance(value, str) else value
    return shortened(json.dumps(text, ensure_ascii=False), 2 * LONGEST)
