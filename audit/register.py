"""The register of findings already known: `findings.toml`, strict both ways.

Inside its range of versions an entry must fail, as the finding it describes; outside it must pass.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from audit.finding import Blame, Finding, Verdict


class BadRegister(ValueError):
    """The register cannot be trusted; the text names the entry, what is wrong with it, and what would be right."""


@dataclass(frozen=True)
class Entry:
    """One known finding.

    `tests` are `suites/…/test_x.py::test_y`, `tables` ids of tables under audit, `reader` the id of a reader where the
    claim needs one; every test on every table is held to it. `versions` is a PEP 440 range of the versions of `subject`
    (`xtable`, or a reader's id).
    """

    id: str
    title: str
    tests: tuple[str, ...]
    tables: tuple[str, ...]
    subject: str
    versions: SpecifierSet
    verdict: Verdict
    blame: Blame
    link: str
    reader: str | None = None
    saw: str = ""
    """Words that the finding's `saw` must hold: a finding of another kind is a new one."""

    def concerns(self, test: str, params: Mapping[str, Any]) -> bool:
        """Whether this is the entry of that test with these parameters (`table`, `reader`)."""
        return test in self.tests and params.get("table") in self.tables and self.reader == params.get("reader")

    def in_force(self, version: str) -> bool:
        """Whether `version` lies in the entry's range; a candidate counts as its release.

        What has no number (a jar of the user's own) lies in no range: its findings are new ones.
        """
        if not version[:1].isdigit():
            return False
        return self.versions.contains(base_version(version), prereleases=True)

    def describes(self, finding: Finding) -> bool:
        return finding.verdict == self.verdict and finding.blame == self.blame and self.saw in finding.saw


def base_version(version: str) -> Version:
    """`0.4.0-incubating-rc2` as the PEP 440 version 0.4.0. Raises ValueError for what has no numbers at its head."""
    numbers = re.match(r"\d+(\.\d+)*", version)
    if numbers is None:
        raise ValueError(f"{version!r} does not start with a version number")
    return Version(numbers.group())


def load_register(
    path: Path, *, tests: set[str], tables: set[str], readers: set[str], subjects: set[str]
) -> tuple[Entry, ...]:
    """Every entry of the file, held against what exists. Raises BadRegister, in one sentence."""
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("finding", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadRegister(f"{path.name} cannot be read: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadRegister(f"{path.name}: finding must be a list of tables; begin each entry with [[finding]].")
    entries = [_entry(path.name, row) for row in rows]
    for entry in entries:
        for what, values, known in (
            ("test", entry.tests, tests),
            ("table", entry.tables, tables),
            ("reader", [entry.reader] if entry.reader else [], readers),
            ("subject", [entry.subject], subjects),
        ):
            for value in values:
                if value not in known:
                    raise BadRegister(f"{path.name}: {entry.id} names the {what} {value!r}; {_known(value, known)}")
    _each_once(path.name, entries)
    return tuple(entries)


def _each_once(name: str, entries: list[Entry]) -> None:
    """No id twice, and no test of one table that two entries describe for the same versions."""
    ids: set[str] = set()
    held: dict[tuple[str, str, str | None, str], str] = {}
    for entry in entries:
        if entry.id in ids:
            raise BadRegister(f"{name}: two entries have the id {entry.id}; give one another.")
        ids.add(entry.id)
        for test, table in product(entry.tests, entry.tables):
            other = held.setdefault((test, table, entry.reader, str(entry.versions)), entry.id)
            if other != entry.id:
                raise BadRegister(f"{name}: {other} and {entry.id} both describe {test} on {table}; keep one.")


REQUIRED = {"id", "title", "tests", "tables", "subject", "versions", "verdict", "blame", "link"}
OPTIONAL = {"reader", "saw"}
LISTS = {"tests", "tables"}


def _entry(name: str, row: Mapping[str, Any]) -> Entry:
    label = row.get("id", f"the entry {row.get('title', row)!r}")
    missing, unknown = REQUIRED - set(row), set(row) - REQUIRED - OPTIONAL
    if missing:
        raise BadRegister(f"{name}: {label} has no {', '.join(sorted(missing))}.")
    if unknown:
        field = sorted(unknown)[0]
        raise BadRegister(f"{name}: {label} has the unknown field {field!r}; {_known(field, REQUIRED | OPTIONAL)}")
    for field, value in row.items():
        if field not in LISTS and not isinstance(value, str):
            raise BadRegister(f"{name}: {label}: {field} must be text, not {value!r}.")
        if field in LISTS and not (isinstance(value, list) and value and all(isinstance(v, str) for v in value)):
            raise BadRegister(f"{name}: {label}: {field} must be a list of one text or more, not {value!r}.")
    try:
        return Entry(
            **{
                **row,
                "tests": tuple(row["tests"]),
                "tables": tuple(row["tables"]),
                "versions": SpecifierSet(row["versions"]),
                "verdict": Verdict(row["verdict"]),
                "blame": Blame(row["blame"]),
            }
        )
    except (InvalidSpecifier, InvalidVersion) as error:
        raise BadRegister(f"{name}: {label} has a bad version range ({error}); write one like '>=0.3,<0.5'.") from error
    except ValueError as error:
        raise BadRegister(
            f"{name}: {label}: {error}; verdicts are {', '.join(Verdict)}, blames {', '.join(Blame)}."
        ) from error


def _known(value: str, known: set[str]) -> str:
    """What was probably meant, else what there is."""
    close = get_close_matches(value, known, n=1)
    return f"did you mean {close[0]!r}?" if close else "known are " + ", ".join(sorted(known)[:12]) + "."
