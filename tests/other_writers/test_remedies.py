"""The advice of `check` mends what it says: the statement that it prints is run, and nothing is found afterwards."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.kept import kept
from tests.of_each import of_each
from tests.other_writers.every_claim import HeldOf, document_of, found_in, mending
from tests.other_writers.remedied import SPOILT, as_it_is, claim_of, spoilt
from tests.other_writers.remedy_job import JOB, Lake, mended
from tests.tables.draft import Draft
from tests.tables.mirror import Mirror
from tests.xtable_audit.claims import mutate
from xtable_audit.claims import layout
from xtable_audit.claims.translation import rows
from xtable_audit.formats.iceberg.check.remedies import REMEDIES, SPARK
from xtable_audit.model.own_table import PredicateRow
from xtable_audit.report.document import Document
from xtable_audit.subject.case import Source, read_case

UNSORTED, WHERE = "interleaved", "id = 25"
pytestmark = [pytest.mark.spark, pytest.mark.slow]


def advice_of(document: Document, claim: str) -> list[str]:
    """The statements of Spark SQL that mend the finding of that claim."""
    told = [words for one in document.claims if one.claim == claim and one.finding for words in one.finding.advice]
    return [words.partition(f" ({SPARK}): ")[2] for words in told if f" ({SPARK}): " in words]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    return Mirror(tmp_path_factory.mktemp("lake"))


@pytest.fixture(scope="module")
def before(lake: Mirror, of_spark: HeldOf) -> dict[str, Document]:
    """By key of SPOILT, what `check` says of the spoilt table."""
    found = {}
    for key, (name, spoil) in SPOILT.items():
        held = of_spark(name)
        spoilt(held, lake, spoil)
        found[key] = document_of(name, lake, held.location, f"native.tables.{name}")
    return found


@pytest.fixture(scope="module")
def unsorted(lake: Mirror, of_spark: HeldOf) -> PredicateRow:
    """What `check` says of a predicate on a table whose files overlap."""
    held = of_spark(UNSORTED)
    spoilt(held, lake, as_it_is)
    return asked(document_of(UNSORTED, lake, held.location, f"native.tables.{UNSORTED}", (WHERE,)))


def asked(document: Document) -> PredicateRow:
    assert document.own_table is not None
    [row] = document.own_table.predicates
    return row


@dataclass(frozen=True)
class Mended:
    """The lake when Spark has followed the advice. By table, its metadata.json."""

    lake: Mirror
    at: dict[str, str]


@pytest.fixture(scope="module")
def after(lake: Mirror, before: dict[str, Document], unsorted: PredicateRow) -> Mended:
    """Of the same tables and the same statements Spark makes the same: it does so once."""
    statements = {SPOILT[key][0]: advice_of(document, claim_of(key)) for key, document in before.items()}
    statements[UNSORTED] = [unsorted.advice.partition(f" ({SPARK}): ")[2]]
    folder, told = kept(mended, JOB, lake=Lake.at(lake.root), statements=statements)
    failed = {name: one["failed"] for name, one in told.items() if "failed" in one}
    assert failed == {}
    return Mended(Mirror(folder), {name: one["location"] for name, one in told.items()})


@of_each("key", SPOILT)
def test_the_claim_fails_and_one_statement_is_advised(before: dict[str, Document], key: str) -> None:
    assert claim_of(key) in found_in(before[key])
    assert len(advice_of(before[key], claim_of(key))) == 1


def test_a_fault_in_one_partition_is_mended_there(before: dict[str, Document]) -> None:
    key = "null_counts_are_exact in one partition"
    assert re.search(r"""where => 'p IN \("\w"\)', """, advice_of(before[key], claim_of(key))[0])


@of_each("key", SPOILT)
def test_nothing_is_found_after_the_advice(after: Mended, key: str) -> None:
    name, _ = SPOILT[key]
    assert found_in(document_of(name, after.lake, after.at[name])) == {}


@of_each("key", SPOILT)
def test_the_rows_are_those_of_before(after: Mended, of_spark: HeldOf, key: str) -> None:
    name, _ = SPOILT[key]
    source = Source((), (), {}, "", of_spark(name).written.shown)
    case = read_case(after.lake.objects, name, after.at[name], source)
    assert case.rows is not None
    of_rows = (rows.no_row_is_missing, rows.no_row_is_shown_twice, rows.no_row_is_stale)
    assert [str(one) for claim in of_rows for one in claim.check(case)] == []


def test_sorted_as_advised_files_have_ranges_of_their_own(unsorted: PredicateRow, after: Mended) -> None:
    """By the claim about the layout, and by the predicate for which it is advised."""
    sorted_by_id = Source((), ("id",), {}, "")
    case = read_case(after.lake.objects, UNSORTED, after.at[UNSORTED], sorted_by_id)
    case = replace(case, source=replace(case.source, base_files=dict.fromkeys(case.stored.paths, 0)))
    assert case.stored.files.num_rows > 1
    assert [str(one) for one in layout.files_do_not_overlap.check(case)] == []
    row = asked(document_of(UNSORTED, after.lake, after.at[UNSORTED], where=(WHERE,)))
    assert (unsorted.planned, row.planned, row.matching, row.rows_matching, row.advice) == (4, 1, 1, 1, "")


def test_a_false_value_of_an_identity_partition_is_not_rewritten_by_spark(of_spark: HeldOf, tmp_path: Path) -> None:
    """Spark would take it for the value of every row, whatever else is found. PyIceberg reads the file's."""
    held, lake = of_spark("by_string"), Mirror(tmp_path / "lake")

    def spoil(draft: Draft) -> None:
        mutate.set_tuple(draft, 0, "elsewhere")
        mutate.lower_upper(draft, 0, "n")

    spoilt(held, lake, spoil)
    document = document_of("by_string", lake, held.location, "native.tables.by_string")
    found = {one.claim: mending(one.finding) for one in document.claims if one.finding}
    [mends] = found.pop("tuples_equal_every_row")
    assert mends.startswith("Write all rows anew by PyIceberg, which reads the column from the files (PyIceberg): ")
    then = "Check again once this holds: the partition tuple equals the transform of every row's value"
    assert found == {"bounds_contain_values": (then,)}


def test_nobody_is_advised_who_gets_it_wrong_himself(of_spark: HeldOf) -> None:
    """Spark miscounts the nulls of structs, and would again; PyIceberg has no bounds of what is in them."""
    held = of_spark("nested")
    document = document_of("nested", held.mirror, held.location, "native.tables.nested")
    found = {one.claim: mending(one.finding) for one in document.claims if one.finding}
    assert found == {"value_counts_are_exact": (), "null_counts_are_exact": ()}


def test_every_statement_of_spark_is_proven() -> None:
    advised = {one.id for remedy in REMEDIES if remedy.language == SPARK for one in remedy.claims}
    assert advised == {claim_of(key) for key in SPOILT}
