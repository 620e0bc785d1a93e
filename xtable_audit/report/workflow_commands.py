"""A run in the words of a GitHub workflow: new findings as commands, shown beside changed lines, and outputs."""

from __future__ import annotations

from collections.abc import Iterator

from xtable_audit.model.outcome import FAILS, Outcome
from xtable_audit.report.document import Document
from xtable_audit.report.gate import Gate
from xtable_audit.report.groups import new_findings
from xtable_audit.report.place import FileLine
from xtable_audit.report.what_to_do import what_to_do

MOST = 10
"""GitHub shows no more errors of one step, and no more notices."""


def workflow_commands(document: Document, place: FileLine | None = None) -> str:
    """One line for each new finding, at most MOST; on a user's own table for each that fails the check, and a notice
    for each that is advice.
    """
    return "".join(f"{line}\n" for line in _lines(document, place))


def outputs(of: Document | Gate) -> str:
    """A step's outputs: the verdict, and how many claims fail, are known to fail, or are registered and gone; on a
    user's own table, how many fail the check.

    Of a gate its advice, and how many claims differ and fail.
    """
    if isinstance(of, Gate):
        return f"verdict={of.advice}\nfindings={of.failing}\n"
    failing = len(of.failing_on) if of.own_table else of.count(*FAILS, Outcome.GONE)
    return f"verdict={of.verdict}\nfindings={failing}\n"


def _lines(document: Document, place: FileLine | None) -> Iterator[str]:
    at = {} if place is None else {"file": place.file} | ({"line": str(place.line)} if place.line else {})
    found = list(document.failing_on) if document.own_table else new_findings(document)
    advice = document.advice
    for level, one in [*(("error", one) for one in found[:MOST]), *(("notice", one) for one in advice[:MOST])]:
        where = f"{one.table}.{one.column}" if one.column else one.table
        titled = at | {"title": f"{one.verdict} ({one.verdict.words}): {where}"}
        properties = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in titled.items())
        do = "".join(f" Do: {words}" for words in what_to_do(one, document)[:1])
        yield f"::{level} {properties}::{_escaped(f'{one.sentence} Stored: {one.saw}{do}')}"


def _escaped(text: str, more: str = "") -> str:
    """By the toolkit's own rule (actions/toolkit, packages/core/src/command.ts)."""
    for character in ("%", "\r", "\n", *more):
        text = text.replace(character, f"%{ord(character):02X}")
    return text
