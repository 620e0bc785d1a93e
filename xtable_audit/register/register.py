"""The register of known findings, `findings.toml`. Strict both ways.

Within its range of releases the claims of an entry must fail, with the finding it describes; outside they must pass.

`[covers]`, at the head of the file, names the releases of each component that it speaks of, with the day
of each.

An entry is one table, by its id: `[XTF-001]`. (Registers of before have `[[finding]]`, with an `id`; both are read.)
For people it holds:

* `title` (in a user's words), `cause` (where and how the value goes wrong);
* `common`: how common what leads to it is, everyday, occasional or rare; `condition`: what that is, of an entry
  without `affects`, which say it;
* `searched`: the date of the last search for public threads, as "2026-11-22"; `threads`: what was found, and what each
  is to the finding (`xtable_audit/register/public_thread.py`); absent if nothing was;
* `remedy`: what a user does today, with `proven_by`, tables with the remedy applied, on which the entry's claims hold,
  or `held_by`, claims that ask the entry's own tables with the remedy applied, and hold; or "none known", without them;
* `acts_on`: what a remedy changes, source, sync, configuration (XTable's), reader (its settings, how it is asked) or
  metadata (as it is written), by which reports say where to apply it and whether to sync anew;
* `recovers`: what brings a table back that is hit already, with `recovers_by`, tables on which it was done; a test does
  it again. Absent if nothing is known to;
* `reproduce`: the smallest table that shows it;
* `rules`: names of further rules that it breaks, or of a documented limit (`xtable_audit/model/rules.py`, QUOTED);
* `formerly`: ids of entries that were merged into this one;
* `warm`: the `releases` of XTable at which only a JVM that has run other syncs shows it, and `why`.

The blocks of `where` say where it holds (`xtable_audit/register/where_blocks.py`). An entry without `where` is itself
one block.

What reading the sources shows of an entry is in `findings.code.toml` (`xtable_audit/register/code.py`).

`affects` say by which facts a source table leads to it (`xtable_audit/register/affects.py`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

from packaging.version import Version

from xtable_audit.model.rules import QUOTED
from xtable_audit.register.affects import read_affects
from xtable_audit.register.code import UNREAD, ReadCode, load_code
from xtable_audit.register.entry import NONE_KNOWN, ActsOn, Entry, Where, base_version, is_numbered, overlap
from xtable_audit.register.extent import Extents, load_extents
from xtable_audit.register.fields import BadRegister, check_known, parsed, read, tables
from xtable_audit.register.locked import Tests
from xtable_audit.register.public_thread import read_threads
from xtable_audit.register.where_blocks import FIELDS, read_blocks

COVERS = "covers"
"""The releases that the register covers: `[covers]` of findings.toml."""
LISTED = "finding"
"""The list of entries in registers of before."""


@dataclass(frozen=True)
class Covered:
    """One release of a component."""

    version: str
    day: date
    """The day of its tag's commit; of a release of Hudi, that on which its jar was built."""


@cache
def covers(register: Path) -> Mapping[str, tuple[Covered, ...]]:
    """The releases of each component, oldest first; empty if the file names none. Raises BadRegister."""
    of = tomllib.loads(register.read_text(encoding="utf-8")).get(COVERS, {})
    try:
        made = {
            name: [Covered(version, date.fromisoformat(day)) for version, day in days.items()]
            for name, days in of.items()
        }
        return {name: tuple(sorted(few, key=lambda one: Version(one.version))) for name, few in made.items()}
    except (AttributeError, TypeError, ValueError) as error:
        wanted = 'each component with its releases and their days, as { "0.4.0" = "2026-08-07" }'
        raise BadRegister(f"{register.name}: {COVERS} names {wanted}, not {of!r}.") from error


__all__ = ["BadRegister", "Entry", "Where", "base_version", "is_numbered", "load_register", "now_called"]


def load_register(
    path: Path, *, claims: set[str], subjects: set[str], readers: set[str], components: set[str]
) -> tuple[Entry, ...]:
    """Every entry of the file, checked against existing ids. Raises BadRegister, with one sentence."""
    file = parsed(path)
    known = {"claim": claims, "subject": subjects, "reader": readers, "component": components, "rule": {*QUOTED}}
    code = load_code(path)
    try:
        rows = rows_of(file)
        seen = load_extents(path) or Extents({})
        ids = [str(row.get("id")) for row in rows]
        entries = tuple(
            _entry(row, known, code.get(id, UNREAD), seen.of.get(id, {})) for id, row in zip(ids, rows, strict=True)
        )
        for what, named in (("the locked file has tests", seen.of), (f"{path.stem}.code.toml speaks", code)):
            for id in sorted(named.keys() - {*ids}):
                raise BadRegister(f"{what} of {id}, which is no entry; delete its lines.")
        _in_order(entries)
        _retired(entries)
        _each_once(entries)
        _mended(entries)
    except BadRegister as error:
        raise BadRegister(f"{path.name}: {error}") from error
    return entries


def rows_of(file: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries of a parsed register as they stand, each with its id. Raises BadRegister."""
    by_id = {id: row for id, row in file.items() if id not in (COVERS, LISTED)}
    for id, row in by_id.items():
        if not isinstance(row, dict) or "id" in row:
            raise BadRegister(f"{id} must be a table without an id of its own; begin it with [{id}].")
    listed = tables("the register", LISTED, file.get(LISTED, []), begin="[XTF-001]")
    return [*listed, *({"id": id, **row} for id, row in by_id.items())]


def _entry(row: Mapping[str, Any], known: Mapping[str, set[str]], code: ReadCode, tests: Tests) -> Entry:
    label = str(row.get("id", f"the entry {row.get('title', dict(row))!r}"))
    blocks = tables(label, "where", row.get("where", [{}]), begin='{ claims = ["…"], … }')
    own = {field: value for field, value in row.items() if field not in FIELDS | {"where"}}
    threads, affects = read_threads(label, row.get("threads", [])), read_affects(label, row.get("affects", []))
    made = {"threads": threads, "affects": affects, "where": (), "read": code}
    entry = read(Entry, label, own | made, also=FIELDS)
    where = read_blocks(label, row, blocks, known, tests)
    entry = replace(entry, where=where)
    if bool(entry.condition) == bool(entry.affects):
        ways = "by affects and by condition" if entry.affects else "neither by affects nor in words by condition"
        raise BadRegister(f"{label} says what leads to it {ways}; say it by one of them.")
    check_known(label, "rule", entry.rules, known)
    _check_proof(label, entry, known)
    always = {claim for one in where if not one.at_times for claim in one.claims}
    for claim in sorted({claim for one in where if one.at_times for claim in one.claims} - always):
        raise BadRegister(
            f"{label} says how {claim} fails at times, and not how it fails otherwise; add a where for that."
        )
    if entry.reproduce and entry.reproduce not in entry.subjects:
        raise BadRegister(f"{label}: reproduce names {entry.reproduce!r}, which is not one of its subjects.")
    return entry


def _check_proof(label: str, entry: Entry, known: Mapping[str, set[str]]) -> None:
    """Checks that what proves the remedy and the recovery is present and known. Tests check that the claims hold."""
    if bool(entry.recovers) != bool(entry.recovers_by):
        raise BadRegister(f"{label}: recovers and recovers_by belong together; name both, or none.")
    check_known(label, "subject", entry.recovers_by, known)
    for table in entry.recovers_by:
        if table not in entry.subjects:
            raise BadRegister(f"{label}: recovers_by names {table!r}, which the finding does not hit.")
    if entry.remedy == NONE_KNOWN:
        for field in (name for name in ("acts_on", "proven_by", "held_by") if getattr(entry, name)):
            raise BadRegister(f"{label} has {field} for a remedy that is {NONE_KNOWN!r}; say the remedy.")
        return
    if entry.acts_on is None:
        raise BadRegister(f"{label} has a remedy without acts_on; say what it changes: {', '.join(ActsOn)}.")
    if not entry.proven_by and not entry.held_by:
        raise BadRegister(
            f"{label} has a remedy without proven_by; name the table that proves it, or say {NONE_KNOWN!r}."
        )
    check_known(label, "subject", entry.proven_by, known)
    check_known(label, "claim", entry.held_by, known)


def _in_order(entries: Sequence[Entry]) -> None:
    for before, after in pairwise(entries):
        if before.id == after.id:
            raise BadRegister(f"two entries have the id {after.id}; give one another.")
        if before.id > after.id:
            raise BadRegister(f"{after.id} comes after {before.id}; sort the entries by id.")


def _retired(entries: Sequence[Entry]) -> None:
    """Raises BadRegister if an id that was merged away is in use, or was merged into two entries."""
    used = {entry.id: entry.id for entry in entries}
    for entry in entries:
        for id in entry.formerly:
            if id in used:
                raise BadRegister(f"{entry.id} was formerly {id}, which {used[id]} is too; keep one.")
            used[id] = entry.id


def _each_once(entries: Sequence[Entry]) -> None:
    """Raises BadRegister if two blocks describe one claim on one subject for the same releases of one component.

    Releases of two components cannot be compared: in one entry, their blocks must describe different tests.
    """

    def clash(one: Placed, other: Placed) -> bool:
        of_one_component = one.where.component == other.where.component
        return _meet(one.where, other.where) if of_one_component else one.id == other.id

    _without(clash, entries)


def check_in_force(entries: Sequence[Entry], versions: Mapping[str, str], since: str | None) -> None:
    """Raises BadRegister if blocks of two components describe one test at these versions, after an upgrade in place
    from `since` if there is one: it would be unclear which of the two is gone.
    """

    def holds(where: Where) -> bool:
        return where.component in versions and where.in_force(versions[where.component], since)

    def clash(one: Placed, other: Placed) -> bool:
        return holds(one.where) and holds(other.where) and _same_start(one.where, other.where)

    _without(clash, entries)


class Placed(NamedTuple):
    """A block and the id of its entry."""

    id: str
    where: Where


def _without(clash: Callable[[Placed, Placed], bool], entries: Sequence[Entry]) -> None:
    """Raises BadRegister if two blocks have the same claim, subject, reader and questions, and clash."""
    held: dict[tuple[str, str, str | None], list[Placed]] = {}
    for one in (Placed(entry.id, where) for entry in entries for where in entry.where if not where.at_times):
        for claim, subject, reader in product(one.where.claims, one.where.subjects, one.where.readers or (None,)):
            others = held.setdefault((claim, subject, reader), [])
            for other in others:
                if _same_questions(one.where, other.where) and clash(one, other):
                    both = f"{other.id} and {one.id} both describe" if other.id != one.id else f"{one.id} twice has"
                    raise BadRegister(f"{both} {claim} on {subject}; keep one.")
            others.append(one)


def _mended(entries: Sequence[Entry]) -> None:
    """Raises BadRegister if `mended` names an entry that is not there."""
    ids = {entry.id for entry in entries}
    for entry in entries:
        for id in (id for block in entry.affects for id in block.mended):
            if id not in ids:
                raise BadRegister(f"{entry.id}: affects: mended names {id}; {now_called(id, entries)}")


def _same_questions(one: Where, other: Where) -> bool:
    return not one.questions or not other.questions or bool(set(one.questions) & set(other.questions))


def _meet(one: Where, other: Where) -> bool:
    return _same_start(one, other) and overlap(one.releases, other.releases)


def _same_start(one: Where, other: Where) -> bool:
    """Whether both can hold in the same metadata. A block with `upgrade_from` does not conflict with one without: it
    takes precedence.
    """
    if one.upgrade_from is None or other.upgrade_from is None:
        return one.upgrade_from is other.upgrade_from
    return overlap(one.upgrade_from, other.upgrade_from)


def now_called(id: str, entries: Sequence[Entry]) -> str:
    """A sentence about an id that is no entry's: where it has gone, or that there is none."""
    new = next((entry.id for entry in entries if id in entry.formerly), None)
    return f"{id} has become part of {new}." if new else f"There is no finding {id}; `xtable-audit known` lists them."
