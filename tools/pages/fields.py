"""docs/fields.md: `python -m tools pages.fields`. Which claims judge each field of the metadata."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lab.stack.cache import write_atomically
from lab.stack.project import ROOT
from xtable_audit.claims.every_claim import EVERY_CLAIM
from xtable_audit.formats.iceberg import metadata_json_fields
from xtable_audit.model.rules import SECTIONS

MAP = Path(__file__).with_name("fields.toml")
PAGE = ROOT / "docs" / "fields.md"
NOT_JUDGED = "**not judged**"
HEAD = """<!-- made by `python -m tools pages.fields` from tools/pages/fields.toml: do not edit -->
# Every field

Each field that the Iceberg specification gives to a table's metadata in format versions 1 to 3: which readers use it
and for what, with a link to where, and the claims that judge it. What nothing judges says why. Tests hold the list of
fields to the specification's, and each claim to a mutation: a healthy table on which it alone fails.
[Reading a report](reading-a-report.md#what-is-compared-with-what) has the claims by family; a claim's sentence stands
in the report of each run.

Of {fields} fields {judged} are judged by what they say, {typed} by their type alone, and {open} not at all.
"""
TYPES, NAMES = "metadata_json_has_the_specified_types", "no_name_stands_twice_in_metadata_json"
NESTED = (metadata_json_fields.NESTED["list"], metadata_json_fields.NESTED["map"])
IN_JSON: Mapping[str, frozenset[str]] = {
    title: frozenset(name for one in of for name in one.fields)
    for title, of in (
        ("Table metadata", (metadata_json_fields.TABLE,)),
        ("Schema", (metadata_json_fields.SCHEMA,)),
        ("Column", (metadata_json_fields.COLUMN,)),
        ("List or map", NESTED),
        ("Partition spec", (metadata_json_fields.PARTITION_SPEC,)),
        ("Partition field", (metadata_json_fields.PARTITION_FIELD,)),
        ("Sort order", (metadata_json_fields.SORT_ORDER,)),
        ("Sort field", (metadata_json_fields.SORT_FIELD,)),
        ("Snapshot", (metadata_json_fields.SNAPSHOT,)),
        ("Snapshot reference", (metadata_json_fields.REFERENCE,)),
        ("Entry of snapshot-log", (metadata_json_fields.LOGGED_SNAPSHOT,)),
        ("Entry of metadata-log", (metadata_json_fields.LOGGED_METADATA,)),
        ("Statistics file", (metadata_json_fields.STATISTICS_FILE,)),
        ("Blob of a statistics file", (metadata_json_fields.BLOB,)),
        ("Partition statistics", (metadata_json_fields.PARTITION_STATISTICS_FILE,)),
    )
}
"""The fields of each object of metadata.json whose types TYPES judges."""
TABLE = "| field | who reads it, and for what | judged by |\n|---|---|---|\n"


@dataclass(frozen=True)
class JudgedField:
    name: str
    read: str
    code: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    open: str = ""
    """Why nothing judges it, or what of it."""


@dataclass(frozen=True)
class FieldHolder:
    """What has the fields: a struct, or an object of JSON."""

    title: str
    section: str
    fields: tuple[JudgedField, ...]
    about: str = ""

    def has_its_type_judged(self, field: JudgedField) -> bool:
        return field.name in IN_JSON.get(self.title, ())


@cache
def places() -> tuple[FieldHolder, ...]:
    return tuple(_place(one) for one in _map()["place"])


@cache
def links() -> Mapping[str, str]:
    """The address of each file of a reader's code that the map names."""
    roots = _map()["code"]
    split = {name: file.partition(":") for name, file in _map()["files"].items()}
    return {name: f"{roots[root]}/{path}" for name, (root, _, path) in split.items()}


@cache
def _map() -> dict[str, Any]:
    return tomllib.loads(MAP.read_text(encoding="utf-8"))


def _place(holder: Mapping[str, Any]) -> FieldHolder:
    fields = tuple(_field(**one) for one in holder["fields"])
    return FieldHolder(holder["title"], holder["section"], fields, holder.get("about", ""))


def _field(name: str, read: str, code: Sequence[str] = (), claims: Sequence[str] = (), open: str = "") -> JudgedField:
    return JudgedField(name, read, tuple(code), tuple(claims), open)


def page() -> str:
    every = [(place, field) for place in places() for field in place.fields]
    judged = sum(bool(field.claims) for _, field in every)
    typed = sum(not field.claims and place.has_its_type_judged(field) for place, field in every)
    head = HEAD.format(fields=len(every), judged=judged, typed=typed, open=len(every) - judged - typed)
    return head + "".join(map(_section, places()))


def _section(place: FieldHolder) -> str:
    about = f"\n{place.about}\n" if place.about else ""
    together = f"\n{_types(place)}\n" if place.title in IN_JSON else ""
    title = f"## {place.title}\n\n[{place.section}]({SECTIONS[place.section]})\n"
    return f"\n{title}{about}{together}\n{TABLE}" + "".join(_row(place, field) for field in place.fields)


def _types(place: FieldHolder) -> str:
    """Which claims judge how the fields of an object of JSON are written."""
    others = [f"`{field.name}`" for field in place.fields if not place.has_its_type_judged(field)]
    but = f", but for {', '.join(others)}" if others else ""
    return f"Their types are judged by {_claims((TYPES,))}{but}, their names by {_claims((NAMES,))}."


def _row(place: FieldHolder, field: JudgedField) -> str:
    read = ", ".join(f"[{name}]({links()[name]})" for name in field.code)
    return f"| `{field.name}` | {field.read}{f' ({read})' if read else ''} | {'; '.join(_judged(place, field))} |\n"


def _judged(place: FieldHolder, field: JudgedField) -> Iterator[str]:
    if field.claims:
        yield _claims(field.claims)
    elif place.has_its_type_judged(field):
        yield "its type alone"
    if field.open:
        yield f"{NOT_JUDGED}: {field.open}"


def _claims(ids: tuple[str, ...]) -> str:
    return ", ".join(f"`{EVERY_CLAIM[id].id}`" for id in ids)


def main() -> int:
    write_atomically(PAGE, page().encode())
    print(f"{PAGE.relative_to(ROOT)}: {sum(len(place.fields) for place in places())} fields")
    return 0


if __name__ == "__main__":
    sys.exit(main())
