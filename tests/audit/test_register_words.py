"""By what the register tells a finding from others: never by the suite's own words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

from lab.provision.register import REGISTER, extents, register
from lab.stack.project import ROOT
from tests.of_each import of_each
from tests.run.reworded import QUOTING
from xtable_audit.model.finding import Verdict
from xtable_audit.register.entry import Entry, Where
from xtable_audit.register.extent import Extent

every_entry = of_each("entry", register(REGISTER), ids=lambda entry: entry.id)
OF_ONE_FORM = frozenset({"last_instant_never_goes_back", "rows_are_those_of_the_snapshot_view"})
"""Claims that break in one way, and whose findings count neither files nor rows."""
SENTENCE = re.compile("[a-z]{2,} [a-z]{2,}|nothing|unpartitioned")
"""Two words or more, or one of ours for what is not there."""


@every_entry
def test_every_block_names_columns_or_words_or_has_an_extent(entry: Entry) -> None:
    """Or another fault of the same claim and table would pass as known."""
    vague = [
        one
        for one in entry.where
        if not (one.columns or one.saw or one.deviation or one.at_times or {*one.claims} <= OF_ONE_FORM)
    ]
    assert [(one.claims, table) for one in vague for table in one.subjects if not _has_extent(entry, table)] == []


@every_entry
def test_no_block_goes_by_the_suites_own_words(entry: Entry) -> None:
    """Else no claim could be worded anew. A value is none of them, nor what another program says."""
    assert [saw for one in entry.where for saw in one.saw if SENTENCE.search(saw) and not _is_quoted(one, saw)] == []


def test_what_the_suite_says_of_a_file_is_recognised_as_its_own() -> None:
    assert _is_own("is not the Parquet file the metadata describes: column y holds string")
    assert not _is_own("java.lang.NullPointerException: Cannot invoke")


def _has_extent(entry: Entry, table: str) -> bool:
    """Whether files or rows of the table are registered with the entry."""
    whole = extents(REGISTER)
    assert whole is not None
    seen = [
        seen
        for test, seen in whole.of.get(entry.id, {}).items()
        if f"-{table}-" in f"-{test.partition('[')[2].removesuffix(']')}-"
    ]
    return any(extent != Extent() for one in seen for extent in one.values())


def _is_quoted(where: Where, saw: str) -> bool:
    refused = bool(where.readers) and where.verdict is Verdict.UNREADABLE
    return (refused or {*where.claims} <= QUOTING) and not _is_own(saw)


def _is_own(words: str) -> bool:
    return any(one in words for one in _own_sentences())


@cache
def _own_sentences() -> frozenset[str]:
    """Texts of the judge's modules, of four words or more, without those that say how a reader refuses a table."""
    return frozenset(text.strip(" :") for text in _texts() if len(text.split()) >= 4)


def _texts() -> Iterator[str]:
    judge = ROOT / "xtable_audit"
    for path in {*judge.rglob("*.py")} - {*(judge / "readers").rglob("*.py")}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
