"""The register of findings already known: `findings.toml`, strict both ways.

Inside its range of versions an entry must fail, as the finding it describes; outside it must pass.

An entry is a `[[finding]]` with one `[[finding.where]]` or more. What a `where` leaves out it has from its entry; an
entry without any is one `where` itself. Tables may be patterns (`types_nan_*-xtable`), less those of `except`. One with
`upgrade_from` holds after an upgrade in place from a release in that range, and nowhere else. One with `at_times` (how
seldom it was seen) is how the same tests break now and then: with it in force they may also pass.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from itertools import pairwise, product
from pathlib import Path
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion

from audit.entry import Entry, Where, base_version, is_numbered, overlap
from audit.finding import Blame, Verdict

__all__ = ["BadRegister", "Entry", "Where", "base_version", "is_numbered", "load_register"]


class BadRegister(ValueError):
    """The register cannot be trusted; the text names the entry, what is wrong with it, and what would be right."""


REQUIRED = {"id", "title", "subject"}
OPTIONAL = {"link", "workaround", "reproduce"}
OF_WHERE = {"tests", "tables", "versions", "verdict", "blame"}
OPTIONAL_OF_WHERE = {"except", "reader", "readers", "questions", "saw", "upgrade_from", "at_times"}
ALL_OF_WHERE = OF_WHERE | OPTIONAL_OF_WHERE
LISTS = {"tests", "tables", "except", "readers", "questions"}


def load_register(
    path: Path, *, tests: set[str], tables: set[str], readers: set[str], subjects: set[str]
) -> tuple[Entry, ...]:
    """Every entry of the file, held against what exists. Raises BadRegister, in one sentence."""
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("finding", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadRegister(f"{path.name} cannot be read: {error}") from error
    if not _is_list_of_tables(rows):
        raise BadRegister(f"{path.name}: finding must be a list of tables; begin each entry with [[finding]].")
    known = {"test": tests, "table": tables, "reader": readers, "subject": subjects}
    try:
        entries = tuple(_entry(row, known) for row in rows)
        _in_order(entries)
        _each_once(entries)
    except BadRegister as error:
        raise BadRegister(f"{path.name}: {error}") from error
    return entries


def _entry(row: Mapping[str, Any], known: Mapping[str, set[str]]) -> Entry:
    label = str(row.get("id", f"the entry {row.get('title', dict(row))!r}"))
    blocks = row.get("where", [{}])
    if not _is_list_of_tables(blocks) or not blocks:
        raise BadRegister(f"{label}: where must be a list of tables; begin each with [[finding.where]].")
    own = {field: value for field, value in row.items() if field != "where"}
    _check_fields(label, own, REQUIRED | OPTIONAL | ALL_OF_WHERE)
    _require(label, own, REQUIRED if "where" in row else REQUIRED | OF_WHERE)
    where = tuple(_where(label, own, block, known) for block in blocks)
    entry = Entry(
        id=row["id"],
        title=row["title"],
        subject=row["subject"],
        where=where,
        **{field: row[field] for field in OPTIONAL & set(row)},
    )
    _check_known(label, "subject", [entry.subject], known)
    if any(one.blame.is_xtables for one in where) and not entry.workaround:
        raise BadRegister(f"{label} has no workaround; say how a user avoids it today, or that nobody can.")
    always = {test for one in where if not one.at_times for test in one.tests}
    for test in sorted({test for one in where if one.at_times for test in one.tests} - always):
        raise BadRegister(
            f"{label} tells what {test} does at times, and not what it does else; give it a where for that."
        )
    if entry.reproduce and entry.reproduce not in entry.tables:
        raise BadRegister(f"{label}: reproduce names {entry.reproduce!r}, which is none of its tables.")
    return entry


def _where(label: str, own: Mapping[str, Any], block: Mapping[str, Any], known: Mapping[str, set[str]]) -> Where:
    """The block, completed by the entry's own fields."""
    _check_fields(label, block, ALL_OF_WHERE)
    row = {field: value for field, value in own.items() if field in ALL_OF_WHERE} | dict(block)
    _require(label, row, OF_WHERE)
    readers = [row["reader"]] if "reader" in row else row.get("readers", [])
    if "reader" in row and "readers" in row:
        raise BadRegister(f"{label} has both reader and readers; keep readers.")
    _check_known(label, "test", row["tests"], known)
    _check_known(label, "reader", readers, known)
    return Where(
        tests=tuple(row["tests"]),
        tables=_tables(label, row["tables"], row.get("except", []), known),
        versions=_versions(label, row["versions"]),
        verdict=Verdict(_word(label, "verdict", row["verdict"], Verdict)),
        blame=_blame(label, row["blame"]),
        readers=tuple(readers),
        questions=tuple(row.get("questions", ())),
        saw=row.get("saw", ""),
        upgrade_from=_versions(label, row["upgrade_from"]) if "upgrade_from" in row else None,
        at_times=row.get("at_times", ""),
    )


def _tables(label: str, named: list[str], less: list[str], known: Mapping[str, set[str]]) -> tuple[str, ...]:
    """The tables that are named or match a pattern, in the order of their names, less the excepted ones."""
    for pattern in (*named, *less):
        if "*" not in pattern:
            _check_known(label, "table", [pattern], known)
        elif not _matching(pattern, known["table"]):
            raise BadRegister(f"{label}: no table matches {pattern!r}.")
    taken = {table for pattern in named for table in _matching(pattern, known["table"])}
    left = {table for pattern in less for table in _matching(pattern, known["table"])}
    for table in sorted(left - taken):
        raise BadRegister(f"{label} excepts {table!r}, which is none of its tables.")
    if not taken - left:
        raise BadRegister(f"{label} excepts every table of its own.")
    return tuple(sorted(taken - left))


def _matching(pattern: str, tables: set[str]) -> set[str]:
    return {table for table in tables if fnmatchcase(table, pattern)}


def _in_order(entries: Sequence[Entry]) -> None:
    for before, after in pairwise(entries):
        if before.id == after.id:
            raise BadRegister(f"two entries have the id {after.id}; give one another.")
        if before.id > after.id:
            raise BadRegister(f"{after.id} stands behind {before.id}; sort the entries by id.")


def _each_once(entries: Sequence[Entry]) -> None:
    """No test of one table that two places describe for the same versions of one subject."""
    held: dict[tuple[str, str, str | None, str], list[tuple[str, Where]]] = {}
    for entry in entries:
        for where in (one for one in entry.where if not one.at_times):
            for test, table, reader in product(where.tests, where.tables, where.readers or (None,)):
                others = held.setdefault((test, table, reader, entry.subject), [])
                for other, there in others:
                    if _meet(where, there):
                        both = f"{other} and {entry.id} both describe" if other != entry.id else f"{entry.id} twice has"
                        raise BadRegister(f"{both} {test} on {table}; keep one.")
                others.append((entry.id, where))


def _meet(one: Where, other: Where) -> bool:
    asked_alike = not one.questions or not other.questions or set(one.questions) & set(other.questions)
    return bool(asked_alike) and _begun_alike(one, other) and overlap(one.versions, other.versions)


def _begun_alike(one: Where, other: Where) -> bool:
    """What an upgrade in place alone shows goes before what any metadata does, and does not contradict it."""
    if one.upgrade_from is None or other.upgrade_from is None:
        return one.upgrade_from is other.upgrade_from
    return overlap(one.upgrade_from, other.upgrade_from)


def _versions(label: str, text: str) -> SpecifierSet:
    try:
        return SpecifierSet(text)
    except (InvalidSpecifier, InvalidVersion) as error:
        raise BadRegister(f"{label} has a bad version range ({error}); write one like '>=0.3,<0.5'.") from error


def _word(label: str, field: str, value: str, words: Any) -> str:
    if value not in list(words):
        raise BadRegister(f"{label}: {value!r} is no {field}; there are {', '.join(words)}.")
    return value


def _blame(label: str, path: str) -> Blame:
    try:
        return Blame(path)
    except ValueError as error:
        raise BadRegister(f"{label}: {error}") from error


def _check_fields(label: str, row: Mapping[str, Any], allowed: set[str]) -> None:
    for field, value in row.items():
        if field not in allowed:
            raise BadRegister(f"{label} has the unknown field {field!r}; {_known(field, allowed)}")
        if field not in LISTS and not isinstance(value, str):
            raise BadRegister(f"{label}: {field} must be text, not {value!r}.")
        if field in LISTS and not (isinstance(value, list) and value and all(isinstance(v, str) for v in value)):
            raise BadRegister(f"{label}: {field} must be a list of one text or more, not {value!r}.")
        if field in LISTS and len(set(value)) < len(value):
            raise BadRegister(f"{label}: {field} names something twice.")


def _require(label: str, row: Mapping[str, Any], fields: set[str]) -> None:
    missing = fields - set(row)
    if missing:
        raise BadRegister(f"{label} has no {', '.join(sorted(missing))}.")


def _check_known(label: str, what: str, values: Sequence[str], known: Mapping[str, set[str]]) -> None:
    for value in values:
        if value not in known[what]:
            raise BadRegister(f"{label} names the {what} {value!r}; {_known(value, known[what])}")


def _known(value: str, known: set[str]) -> str:
    """What was probably meant, else what there is."""
    close = get_close_matches(value, known, n=1)
    return f"did you mean {close[0]!r}?" if close else "known are " + ", ".join(sorted(known)[:12]) + "."


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)
