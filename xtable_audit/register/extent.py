"""How much of a table each known finding shows: the register's locked file, made by `make extents`, compared strictly.

Beside `findings.toml` lies `findings.extents.json`: by entry and test, at which releases (`0.4.0`, or `0.2.0-to-0.4.0`
for an upgrade in place) which extent was seen. On which tables an entry holds follows from it too
(`xtable_audit/register/locked.py`). A finding of another extent is another finding: a second fault of the same claim,
column and table hides behind the first one otherwise. Less counts as much as more: what is mended in part is registered
anew, and a suite that has lost sight of a file must not pass for a mended one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from packaging.version import Version

from xtable_audit.model.figures import many
from xtable_audit.model.finding import Finding
from xtable_audit.register.entry import base_version, is_numbered
from xtable_audit.register.fields import BadRegister

SUFFIX = ".extents.json"
COMMAND = "make extents"
TO_DO = f"`{COMMAND}` writes it, `python -m tools pages.extents out/latest/audit.json` that of this run"
IN_PLACE = "-to-"
BY_JAVA, BY_JUDGE = "-java]", "-judge]"
"""How the tests of these planners end."""


@dataclass(frozen=True)
class Extent:
    """What shows a finding. Names of files vary between runs; these numbers do not, live or recorded."""

    files: int = 0
    """Data files, those included that the metadata does not list."""
    rows: int = 0
    """Rows that are in them."""
    columns: tuple[str, ...] = ()
    losing: int | None = 0
    """Tried predicates that lose rows; None if any number is as registered."""
    wrong: int = 0
    """Rows that are lost, doubled, stale or of other values."""

    @classmethod
    def of(cls, finding: Finding) -> Extent:
        impact = finding.impact
        files = impact.files + impact.unlisted
        return cls(files, impact.rows, tuple(finding.columns), impact.losing, impact.rows_lost_or_wrong)

    def __str__(self) -> str:
        """`2 files with 8 rows, in d and f`; parts that are zero are left out, as far as anything is left."""
        parts = [f"{many(self.files, 'file')} with {many(self.rows, 'row')}"]
        parts += [f"in {_and(self.columns)}"] if self.columns else []
        if self.losing:
            parts += [f"{many(self.losing, 'predicate')} that {'loses' if self.losing == 1 else 'lose'} rows"]
        parts += [f"{many(self.wrong, 'row')} lost or wrong"] if self.wrong else []
        return ", ".join(parts)


Seen = Mapping[str, Extent]
"""Where it was seen (`run_of`) -> the extent."""


@dataclass(frozen=True)
class Extents:
    """The extents of every known finding, by entry and test (`bounds_contain_values[types_nan-xtable]`)."""

    of: Mapping[str, Mapping[str, Seen]]

    def registered(self, entry: str, test: str, release: str, since: str | None = None) -> Extent | None:
        """The extent at this release; None if there is none.

        After an upgrade in place that was not recorded for the test it is that of the release alone, and at a release
        that the register does not cover, or a jar without a number, that at the newest one.

        Recordings run no planner of Iceberg Java, which needs XTable's JVM. Unless a live run gave it an extent, it has
        that of the judge's planner: it loses the same files, if not by each of the same predicates.
        """
        seen = self.of.get(entry, {}).get(test, {})
        if not seen and test.endswith(BY_JAVA):
            judged = self.registered(entry, f"{test.removesuffix(BY_JAVA)}{BY_JUDGE}", release, since)
            return replace(judged, losing=None) if judged else None
        return seen.get(run_of(release, since), seen.get(self.nearest(release)))

    def nearest(self, release: str) -> str:
        """The release itself; for one that no extent is of, the newest that some are of, "" if there is none."""
        alone = run_of(release)
        releases = (run for run in self.runs if IN_PLACE not in run)
        return alone if alone in self.runs else max(releases, key=Version, default="")

    @property
    def runs(self) -> frozenset[str]:
        return frozenset(run for tests in self.of.values() for seen in tests.values() for run in seen)


def run_of(release: str, since: str | None = None) -> str:
    """`0.4.0`, or `0.2.0-to-0.4.0` for an upgrade in place; the text itself for a jar without a number."""
    parts = [str(base_version(one)) if is_numbered(one) else one for one in (since, release) if one is not None]
    return IN_PLACE.join(parts)


def changed(entry: str, registered: Extent | None, seen: Extent) -> str:
    """How what was seen differs from what the entry registers, in a sentence; "" if it does not."""
    if registered is None:
        return f"{entry} registers no extent for this test and release; {TO_DO}. Seen: {seen}."
    if seen == registered or replace(seen, losing=None) == registered:
        return ""
    return f"{entry} registers {registered}. Seen: {seen}."


def path_of_extents(register: Path) -> Path:
    return register.with_suffix(SUFFIX)


@cache
def load_extents(register: Path) -> Extents | None:
    """The extents beside a register; None if it has none. Raises BadRegister, with one sentence."""
    file = path_of_extents(register)
    if not file.is_file():
        return None
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        found = Extents({entry: {test: _seen(row) for test, row in tests.items()} for entry, tests in rows.items()})
        for version in {version for run in found.runs for version in run.split(IN_PLACE)}:
            Version(version)  # raises a ValueError
        return found
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise BadRegister(f"{file.name} cannot be read ({error}): restore it from git.") from error


def written(extents: Extents) -> str:
    """The file's text: a line for each test, so that a change is a line in a diff."""
    entries = []
    for entry, tests in sorted(extents.of.items()):
        lines = (f"  {_json(test)}: {_json(_row(seen))}" for test, seen in sorted(tests.items()) if seen)
        entries.append(f" {_json(entry)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _seen(row: Mapping[str, Mapping[str, Any]]) -> Seen:
    """Runs of one extent share a key: `0.2.0 0.3.0`."""
    return {
        run: Extent(**dict(extent) | {"columns": tuple(extent.get("columns", ()))})
        for runs, extent in row.items()
        for run in runs.split()
    }


def _row(seen: Seen) -> dict[str, dict[str, Any]]:
    alike: dict[Extent, list[str]] = {}
    for run, extent in sorted(seen.items()):
        alike.setdefault(extent, []).append(run)
    return {" ".join(runs): dict(_told(extent)) for extent, runs in alike.items()}


def _told(extent: Extent) -> Iterator[tuple[str, Any]]:
    """Fields that are not zero or empty."""
    return ((name, value) for name, value in asdict(extent).items() if value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _and(columns: tuple[str, ...]) -> str:
    *most, last = columns
    return f"{', '.join(most)} and {last}" if most else last
