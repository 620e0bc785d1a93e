"""`where`, read: the blocks of an entry that say where it holds.

A block of `where` says that `claims` (ids) fail with `verdict`, `kind` and `blame`; if it has them, by `readers`,
`planners` and `questions`, with `deviation` (how the claim breaks: `xtable_audit.model.deviation_kind`), `misfit` (the
column because of which a data file cannot be read) and `saw` (a value or another program's words that the finding
contains; of several, one of them). By a `sign`, which all deviating bounds share (in the same module), the
finding is known on tables that no block names, too, where it may be there or not. `component` is the software that
`releases` refers to: xtable, control, hudi, spark, or a reader; it is to blame unless `blame` names another. A block
inherits missing fields from its entry.

On which tables, in which columns and at which releases of XTable's follows from the locked file
(`xtable_audit/register/locked.py`), and which readers show it, where `readers` is `["*"]`: those of its claims that no
other block of the entry names. A block that is to hold elsewhere, or on some of these tables alone, says so:
`subjects` (tables or patterns of them, such as `types_nan_*-xtable`, less those of `except`), `columns` (which the
finding may name, or patterns), `releases` (a PEP 440 range) and, if it holds only after an upgrade in place,
`upgrade_from`, the range of releases that began the metadata. A block with `at_times` (how often it was seen) describes
an intermittent failure of a claim that another block registers: it may also pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from itertools import chain, product
from typing import Any

from xtable_audit.model.finding import PATHS, Blame
from xtable_audit.register.entry import Where
from xtable_audit.register.fields import BadRegister, Row, Texts, check_known, read
from xtable_audit.register.locked import (
    ANY_READER,
    ClaimsByReaders,
    ClaimsOnTables,
    Tests,
    blocks_with_subjects,
    fields_from_locked_file,
)

FIELDS = frozenset(one.name for one in fields(Where) if one.name != "locked") | {"except"}
"""What a block may say, or the entry for all its blocks."""


@dataclass(frozen=True)
class Excepted(Row):
    names: Texts


def read_blocks(
    label: str, own: Mapping[str, Any], blocks: Sequence[Mapping[str, Any]], known: Mapping[str, set[str]], tests: Tests
) -> tuple[Where, ...]:
    """The blocks of an entry, completed with its own fields; one without subjects once for each place that it holds at.

    `tests` are the entry's in the locked file.
    """
    rows = [{field: value for field, value in own.items() if field in FIELDS} | dict(block) for block in blocks]
    checked = [_where(label, row, known) for row in rows]
    _check_derived(label, own, rows, blocks)
    lasting = [one for one in checked if not one.locked and not one.at_times]
    elsewhere = frozenset(chain.from_iterable(product(one.claims, one.subjects) for one in lasting))
    named = frozenset(chain.from_iterable(product(one.claims, one.readers) for one in checked if one.locked))
    placed = (_located(label, one, known, tests, elsewhere, named) if one.locked else [one] for one in checked)
    return tuple(chain.from_iterable(placed))


def _located(
    label: str,
    block: Where,
    known: Mapping[str, set[str]],
    tests: Tests,
    elsewhere: ClaimsOnTables,
    named: ClaimsByReaders,
) -> Sequence[Where]:
    found = blocks_with_subjects(block, tests, elsewhere, named)
    check_known(label, "reader", sorted({reader for one in found for reader in one.readers}), known)
    for subject in sorted({subject for one in found for subject in one.subjects} - known["subject"]):
        raise BadRegister(
            f"{label}: the locked file has tests of {subject}, which is no table here; delete their lines."
        )
    for claim in block.claims:
        if not any(claim in one.claims for one in found):
            raise BadRegister(f"{label}: the locked file has no test of {claim}; name its subjects, or leave it out.")
    return found


def _check_derived(
    label: str, own: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], blocks: Sequence[Mapping[str, Any]]
) -> None:
    """Raises BadRegister for what follows from the locked file and is said nevertheless, in a block or for all of them.

    `rows` are the `blocks` with the entry's `own` fields.
    """
    of_all = {
        field
        for row, block in zip(rows, blocks, strict=True)
        if "subjects" in row
        for field in own
        if field not in block
    }
    asked: set[tuple[str, str]] = set()
    for row, block in zip(rows, blocks, strict=True):
        if "subjects" in row:
            continue
        for field in sorted({*fields_from_locked_file(row["component"])} & ({*block} | {*own} - of_all)):
            raise BadRegister(f"{label} has {field} and no subjects; name the subjects, or leave out {field}.")
        these = {(claim, reader) for claim in row["claims"] for reader in row.get("readers") or ("",)}
        for claim, _ in sorted(asked & these):
            raise BadRegister(f"{label} has two blocks of {claim} without subjects; name the subjects of one of them.")
        asked |= these


def _where(label: str, row: Mapping[str, Any], known: Mapping[str, set[str]]) -> Where:
    """The block; one without subjects is `locked`, with neither those nor a range where the locked file has its own."""
    said = _blaming_its_component(row) | {field: value for field, value in row.items() if field != "except"}
    if locked := "subjects" not in row:
        later = {"subjects": ["…"], "releases": ""}
        said |= {field: later[field] for field in later.keys() & {*fields_from_locked_file(row.get("component", ""))}}
    where = read(Where, label, said | {"locked": locked}, also=FIELDS)
    check_known(label, "component", [where.component], known)
    check_known(label, "claim", where.claims, known)
    if where.readers != ANY_READER:
        check_known(label, "reader", where.readers, known)
    elif not locked:
        raise BadRegister(f'{label} has readers = ["*"] and subjects; name the readers, or leave out the subjects.')
    less = read(Excepted, label, {"names": row["except"]}).names if "except" in row else ()
    return where if locked else replace(where, subjects=_subjects(label, where.subjects, less, known))


def _blaming_its_component(row: Mapping[str, Any]) -> dict[str, str]:
    component = row.get("component")
    return {"blame": component if component in PATHS else Blame.reader(component)} if component else {}


def _subjects(label: str, named: Sequence[str], less: Sequence[str], known: Mapping[str, set[str]]) -> tuple[str, ...]:
    """The subjects that are named or match a pattern, without the excepted ones, sorted by name."""
    for pattern in (*named, *less):
        if "*" not in pattern:
            check_known(label, "subject", [pattern], known)
        elif not _matching(pattern, known["subject"]):
            raise BadRegister(f"{label}: no subject matches {pattern!r}.")
    taken = {subject for pattern in named for subject in _matching(pattern, known["subject"])}
    left = {subject for pattern in less for subject in _matching(pattern, known["subject"])}
    for subject in sorted(left - taken):
        raise BadRegister(f"{label} excepts {subject!r}, which is not one of its subjects.")
    if not taken - left:
        raise BadRegister(f"{label} excepts every subject of its own.")
    return tuple(sorted(taken - left))


def _matching(pattern: str, subjects: set[str]) -> set[str]:
    return (
        {subject for subject in subjects if fnmatchcase(subject, pattern)} if "*" in pattern else {pattern} & subjects
    )
