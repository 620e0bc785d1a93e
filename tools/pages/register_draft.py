"""Drafts entries for new findings: `python -m tools pages.register_draft out/a/audit.json out/b/audit.json …`.

Reads the audit.json of whole runs, one release each, and prints entries for `findings.toml`: what belongs together as
far as a program can tell, where it was seen, in which columns, at which releases. A person replaces each TODO, and
decides on kind and common, which are guesses.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from lab.provision.checked_register import REGISTER
from xtable_audit.model.finding import Blame
from xtable_audit.model.outcome import Outcome
from xtable_audit.register.entry import NONE_KNOWN, Common, Kind
from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.register_draft import Draft, DraftBlock, drafts

WIDTH = 116
SHORT = 5
"""Fewer subjects than this are listed rather than written as a pattern."""
SHARED = (
    *("releases", "verdict", "kind", "blame", "saw"),
    *("claims", "subjects", "except", "columns", "readers", "questions"),
)
KINDS = {"LOOSE": Kind.QUALITY, "UNSOUND": Kind.VIOLATION}
"""The likely kind of a finding by its verdict; any other verdict is a mistranslation."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools pages.register_draft", description=__doc__)
    parser.add_argument("documents", nargs="+", type=Path, metavar="AUDIT_JSON", help="of runs at several releases")
    parser.add_argument("--known", action="store_true", help="findings that are registered already too")
    options = parser.parse_args(arguments)
    try:
        documents = [Document.load(path) for path in options.documents]
    except UnreadableDocument as error:
        print(error, file=sys.stderr)
        return 2
    found = drafts(documents, known_too=options.known)
    tables = sorted({claim.table for document in documents for claim in document.claims if claim.table})
    for line in _head(documents, found):
        print(line)
    for number, draft in enumerate(found, start=_next_number()):
        print("\n" + "\n".join(entry_lines(draft, f"XTF-{number:03}", tables)))
    return 0


def entry_lines(draft: Draft, id: str, tables: Sequence[str]) -> Iterator[str]:
    """The entry as TOML. Fields that all blocks share stand at its head; a single block needs no `where`."""
    first = draft.blocks[0]
    rows = [_row(block, tables) for block in draft.blocks]
    shared = {field: rows[0][field] for field in SHARED if all(row.get(field) == rows[0].get(field) for row in rows)}
    shared = {field: value for field, value in shared.items() if value}
    finding = first.example
    yield f"[{id}]"
    yield from _comment("saw", finding.saw)
    yield from _comment("expected", finding.expected)
    yield from _comment(
        "impact", "{files} of {files_total} files, {rows} of {rows_total} rows".format(**asdict(finding.impact))
    )
    yield from _comment("again", finding.again)
    yield f"title = {_text('TODO: fails: ' + finding.sentence)}"
    yield f"component = {_text(draft.component)}"
    yield 'cause = "TODO"'
    yield 'condition = "TODO"'
    yield f"common = {_text(Common.RARE)}"
    yield f"searched = {_text(date.today().isoformat())}"
    yield f"remedy = {_text(NONE_KNOWN)}"
    yield f"reproduce = {_text(finding.table)}"
    for field, value in shared.items():
        yield from _field(field, value)
    if len(rows) > 1:
        yield "where = ["
        for row in rows:
            said = (f"{field} = {_value(value)}" for field, value in row.items() if field not in shared and value)
            yield f"  {{ {', '.join(said)} }},"
        yield "]"


def _row(block: DraftBlock, tables: Sequence[str]) -> dict[str, Any]:
    named, less = _pattern(block.subjects, tables)
    kind = KINDS.get(block.verdict, Kind.MISTRANSLATION)
    return {field: getattr(block, field, ()) for field in SHARED} | {"subjects": named, "except": less, "kind": kind}


def _pattern(some: Sequence[str], tables: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A pattern and its exceptions if they are few; else the list itself."""
    families = sorted({table.partition("_")[0] + "_" for table in some})
    found = []
    for pattern in (f"{family}*-{writer}" for family in (*families, "") for writer in ("xtable", "control")):
        matched = {table for table in tables if fnmatchcase(table, pattern)}
        if set(some) <= matched:
            found.append((pattern, tuple(sorted(matched - set(some)))))
    pattern, less = min(found, key=lambda one: len(one[1]), default=("", ()))
    if not pattern or len(some) < SHORT or len(less) > len(some) // 4:
        return tuple(some), ()
    return (pattern,), less


def _head(documents: Sequence[Document], found: Sequence[Draft]) -> Iterator[str]:
    """The head: which runs were read, which entries are gone, and which findings are the suite's own fault."""
    for document in documents:
        counts = ", ".join(f"{number} {outcome}" for outcome, number in asdict(document.counts).items() if number)
        yield f"# {document.versions.get('xtable')}, {document.translation.mode}: {counts}"
    gone: dict[str, set[str]] = {}
    for document in documents:
        for claim in document.claims:
            if claim.outcome is Outcome.GONE:
                entry = (claim.reason or "").split(" is gone", 1)[0].rpartition("XTF-")[2]
                gone.setdefault(f"XTF-{entry} at {document.versions.get('xtable')}", set()).add(claim.test)
            if claim.outcome is Outcome.FINDING and claim.finding and claim.finding.blame == Blame.SUITE:
                yield f"# the suite itself: {claim.test}: {claim.finding.saw}"
    for entry, tests in sorted(gone.items()):
        yield f"# gone: {entry}, {len(tests)} tests, as {min(tests)}"
    yield f"# {len(found)} drafts"


def _value(value: str | Sequence[str]) -> str:
    return _text(value) if isinstance(value, str) else f"[{', '.join(map(_text, value))}]"


def _field(field: str, value: str | Sequence[str]) -> Iterator[str]:
    line = f"{field} = {_value(value)}"
    if isinstance(value, str) or len(line) <= WIDTH:
        yield line
        return
    yield f"{field} = ["
    row = " "
    for one in map(_text, value):
        if len(row) + len(one) + 2 > WIDTH and row.strip():
            yield row
            row = " "
        row += f" {one},"
    yield row
    yield "]"


def _text(value: str) -> str:
    """A TOML basic string: a JSON string with DEL escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(name: str, text: str) -> Iterator[str]:
    words = re.sub(r"[\x00-\x1f\x7f]+", " ", text)
    yield f"# {name:<9} {words[:400]}"


def _next_number() -> int:
    ids = tomllib.loads(REGISTER.read_text(encoding="utf-8"))
    numbers = [int(id.removeprefix("XTF-")) for id in ids if id.startswith("XTF-")]
    return max(numbers, default=0) + 1


if __name__ == "__main__":
    sys.exit(main())
