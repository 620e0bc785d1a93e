"""`[[finding.where]]`, read: where a finding holds.

A block of `where` says that `claims` (ids) fail with `verdict`, `kind` and `blame`; if it has them, by `readers`,
`planners` and `questions`, with `deviation` (how the claim breaks: `xtable_audit.model.deviation_kind`), `misfit` (the
column because of which a data file cannot be read) and `saw` (a value or another program's words that the finding
contains; of several, one of them). By a `sign`, which all deviating bounds share (`xtable_audit.model.sign`), the
finding is known on tables that no block names, too, where it may be there or not. `component` is the software that
`releases` refers to: xtable, control, hudi, spark, or a reader. A block inherits missing fields from its entry.

On which tables, in which columns and at which releases of XTable's follows from the locked file
(`xtable_audit/register/locked.py`). A block that is to hold elsewhere, or on some of these tables alone, says so:
`subjects` (tables or patterns of them, such as `types_nan_*-xtable`, less those of `except`), `columns` (which the
finding may name, or patterns), `releases` (a PEP 440 range) and, if it holds only after an upgrade in place,
`upgrade_from`, the range of releases that began the metadata. A block with `at_times` (how often it was seen) describes
an intermittent failure of a claim that another block registers: it may also pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.finding import Blame, Verdict
from xtable_audit.model.sign import Sign
from xtable_audit.register.bad_register import BadRegister
from xtable_audit.register.entry import Kind, Where
from xtable_audit.register.fields import check_fields, check_known, member, range_of, require
from xtable_audit.register.locked import ClaimsOnTables, Tests, blocks_with_subjects, fields_from_locked_file

OF_WHERE = {"claims", "subjects", "component", "releases", "verdict", "kind", "blame"}
OPTIONAL_OF_WHERE = {
    *("except", "columns", "readers", "planners", "questions", "saw"),
    *("deviation", "sign", "misfit", "upgrade_from", "at_times"),
}
ALL_OF_WHERE = OF_WHERE | OPTIONAL_OF_WHERE


def required_of(block: Mapping[str, Any]) -> set[str]:
    """The fields that a whole block must have: without subjects, none that follows from the locked file."""
    return OF_WHERE if "subjects" in block else OF_WHERE - {*fields_from_locked_file(block.get("component", ""))}


def read_blocks(
    label: str, own: Mapping[str, Any], blocks: Sequence[Mapping[str, Any]], known: Mapping[str, set[str]], tests: Tests
) -> tuple[Where, ...]:
    """The blocks of an entry, completed with its own fields; one without subjects once for each place that it holds at.

    `tests` are the entry's in the locked file.
    """
    for block in blocks:
        check_fields(label, block, ALL_OF_WHERE)
    rows = [{field: value for field, value in own.items() if field in ALL_OF_WHERE} | dict(block) for block in blocks]
    named = [_where(label, row, known) if "subjects" in row else None for row in rows]
    _check_derived(label, own, rows, blocks)
    lasting = [one for one in named if one and not one.at_times]
    elsewhere = frozenset((claim, subject) for one in lasting for claim in one.claims for subject in one.subjects)
    where: list[Where] = []
    for one, row in zip(named, rows, strict=True):
        where += [one] if one else _located(label, row, known, tests, elsewhere)
    return tuple(where)


def _located(
    label: str, row: Mapping[str, Any], known: Mapping[str, set[str]], tests: Tests, elsewhere: ClaimsOnTables
) -> list[Where]:
    rows = blocks_with_subjects(row, tests, elsewhere)
    for subject in sorted({subject for one in rows for subject in one["subjects"]} - known["subject"]):
        raise BadRegister(
            f"{label}: the locked file has tests of {subject}, which is no table here; delete their lines."
        )
    for claim in row["claims"]:
        if not any(claim in one["claims"] for one in rows):
            raise BadRegister(f"{label}: the locked file has no test of {claim}; name its subjects, or leave it out.")
    return [_where(label, one, known, locked=True) for one in rows]


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
    claims: set[str] = set()
    for row, block in zip(rows, blocks, strict=True):
        if "subjects" in row:
            continue
        require(label, row, required_of(row))
        for field in sorted({*fields_from_locked_file(row["component"])} & ({*block} | {*own} - of_all)):
            raise BadRegister(f"{label} has {field} and no subjects; name the subjects, or leave out {field}.")
        for claim in sorted(claims & {*row["claims"]}):
            raise BadRegister(f"{label} has two blocks of {claim} without subjects; name the subjects of one of them.")
        claims |= {*row["claims"]}


def _where(label: str, row: Mapping[str, Any], known: Mapping[str, set[str]], *, locked: bool = False) -> Where:
    require(label, row, OF_WHERE)
    check_known(label, "component", [row["component"]], known)
    check_known(label, "claim", row["claims"], known)
    check_known(label, "reader", row.get("readers", []), known)
    return Where(
        claims=tuple(row["claims"]),
        component=row["component"],
        subjects=_subjects(label, row["subjects"], row.get("except", []), known),
        releases=range_of(label, row["releases"]),
        verdict=Verdict(member(label, "verdict", row["verdict"], Verdict)),
        kind=Kind(member(label, "kind", row["kind"], Kind)),
        blame=_blame(label, row["blame"]),
        columns=tuple(row.get("columns", ())),
        readers=tuple(row.get("readers", ())),
        planners=tuple(row.get("planners", ())),
        questions=tuple(row.get("questions", ())),
        saw=_texts(row.get("saw", [])),
        deviation=_deviation(label, row["deviation"]) if "deviation" in row else None,
        sign=Sign(member(label, "sign", row["sign"], Sign)) if "sign" in row else None,
        misfit=row.get("misfit", ""),
        upgrade_from=range_of(label, row["upgrade_from"]) if "upgrade_from" in row else None,
        at_times=row.get("at_times", ""),
        locked=locked,
    )


def _deviation(label: str, word: str) -> DeviationKind:
    return DeviationKind(member(label, "kind of deviation", word, DeviationKind))


def _texts(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _subjects(label: str, named: list[str], less: list[str], known: Mapping[str, set[str]]) -> tuple[str, ...]:
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


def _blame(label: str, path: str) -> Blame:
    try:
        return Blame(path)
    except ValueError as error:
        raise BadRegister(f"{label}: {error}") from error
