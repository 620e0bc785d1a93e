"""A reader of Hudi tables beside the source: whose fault a wrong answer is, and what it is not asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyarrow.fs import LocalFileSystem

from fixtures.expect import Expectation
from fixtures.expect_hudi import of_shown
from lab.provision.plan import Plan
from tests.run.tables import table_with
from tools.pages.affected import recorded_sources
from xtable_audit.claims.readers.reading import ReaderClaim
from xtable_audit.formats.hudi.claims.shown import reader_shows_the_rows_of_the_source
from xtable_audit.formats.hudi.target.table import hudi_of
from xtable_audit.model.finding import Blame, Finding, FindingError, Verdict
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Compare, IsNull, Predicate
from xtable_audit.model.sync import Sync
from xtable_audit.planning.grid import ends
from xtable_audit.planning.selection import judge_selections, rows_of_source
from xtable_audit.readers.reader import Answer, Observation
from xtable_audit.subject.case import Case, Source, State, read_case

OBJECTS = Objects(LocalFileSystem())
NOTHING: Mapping[str, int | str] = {}
BLAMED, UNSKIPPED = Blame.reader("spark_hudi"), Blame.reader("spark_hudi_unskipped")


@cache
def healthy() -> Case:
    """A table by Hudi 0.15 with column statistics, without partitions: six rows in three files."""
    folder = recorded_sources() / "index_flat"
    newest = max((folder / ".hoodie").glob("*.commit"))
    shown = pa.concat_tables([pq.read_table(one, columns=["record_key", "i"]) for one in folder.glob("*.parquet")])
    return read_case(OBJECTS, "index_flat-hudi_by_xtable", str(newest), Source((), (), {}, shown=shown))


def settled(
    case: Case, wrong: Mapping[str, int | str] = NOTHING, *, skipping: bool = True, version: str = "0.15.0"
) -> None:
    """What `spark_hudi` counts is as in the files, but for the predicates that `wrong` has by their text."""
    predicates = ends(case)
    selections = judge_selections(OBJECTS, case, predicates)
    assert wrong.keys() <= {str(one) for one in predicates}
    asked = [
        _seen(version, wrong.get(str(one), actual.rows_returned))
        for one, actual in zip(predicates, selections, strict=True)
    ]
    session: Any = SimpleNamespace(
        plan=Plan(),
        predicates=lambda *_: predicates,
        selections=lambda *_: selections,
        observe=lambda *_: asked,
        disk=SimpleNamespace(key=lambda uri: uri),
    )
    item: Any = SimpleNamespace(nodeid="suites/x.py::test_y", stash={}, user_properties=[])
    table = table_with(case.id, case, case.stored.metadata_location, stats=None, unreadable=None)
    expected = Expectation(session, table, item)
    reader, claim = "spark_hudi" if skipping else "spark_hudi_unskipped", reader_shows_the_rows_of_the_source
    expected.settle(of_shown, cast(ReaderClaim, claim), reader, "ends")


def _seen(version: str, said: int | str) -> Observation:
    answer, error = (None, said) if isinstance(said, str) else (Answer(said), None)
    return Observation("spark_hudi", version, answer, frozenset(), 0.1, error)


def found(case: Case, wrong: Mapping[str, int | str] = NOTHING, **how: Any) -> Finding:
    with pytest.raises(FindingError) as raised:
        settled(case, wrong, **how)
    return raised.value.finding


def with_row_more(case: Case) -> Case:
    """The source shows a row that no file has."""
    assert case.source.shown is not None
    row = pa.table({"record_key": ["later"], "i": pa.array([99], pa.int32())})
    return replace(case, source=replace(case.source, shown=pa.concat_tables([case.source.shown, row])))


def with_bounds_below(case: Case) -> Case:
    """Upper bounds of `i` are one too low."""
    of_i = case.stored.columns["i"]
    lower = pc.cast(pc.subtract(of_i["upper"], 1), of_i["upper"].type)
    spoilt = of_i.set_column(of_i.column_names.index("upper"), "upper", lower)
    return replace(case, stored=replace(case.stored, columns={**case.stored.columns, "i": spoilt}))


def in_bucket(case: Case) -> Case:
    native = hudi_of(case.stored)
    live = {uri: replace(one, partition="", name=f"bucket-0/{one.name}") for uri, one in native.live.items()}
    return replace(case, stored=replace(case.stored, native=replace(native, live=live)))


def test_few_predicates_reach_every_row_and_both_ends_of_each_column() -> None:
    texts = [str(one) for one in ends(healthy())]
    assert texts == [
        *("record_key IS NULL", "record_key IS NOT NULL", "record_key = 'k0000'", "record_key = 'n0001'"),
        *("i IS NULL", "i IS NOT NULL", "i = 10", "i = 35"),
    ]
    assert rows_of_source(healthy(), ends(healthy())) == (0, 6, 1, 1, 0, 6, 1, 1)


def test_nan_is_no_end_of_a_column() -> None:
    case, shown = healthy(), pa.table({"i": [float("nan"), 2.0, None]})
    case = replace(case, source=replace(case.source, shown=shown))
    asked: tuple[Predicate, ...] = (IsNull("i"), IsNull("i", negated=True), Compare("i", "=", 2.0))
    assert ends(case) == asked
    assert rows_of_source(case, asked) == (1, 2, 1)


@pytest.mark.parametrize("skipping", [False, True])
def test_a_reader_that_shows_every_row_holds(skipping: bool) -> None:
    settled(healthy(), skipping=skipping)


def test_a_row_that_the_metadata_leads_to_is_lost_by_the_reader() -> None:
    finding = found(healthy(), {"i = 35": 0})
    assert (finding.blame, finding.verdict, finding.columns) == (BLAMED, Verdict.UNSOUND, ("i",))
    assert (finding.saw, finding.impact.wrong) == ("0 rows for i = 35 (1 of 8 asked)", 1)


@pytest.mark.parametrize(
    ("wrong", "verdict", "saw"),
    [
        ({"i = 35": 2}, Verdict.STALE, "2 rows for i = 35 (1 of 8 asked)"),
        ({"i = 10": 2, "i = 35": 0}, Verdict.UNSOUND, "0 rows for i = 35 (2 of 8 asked)"),
    ],
    ids=["rows too many", "and a row too few"],
)
def test_rows_too_many_are_milder_than_a_row_too_few(wrong: Mapping[str, int], verdict: Verdict, saw: str) -> None:
    finding = found(healthy(), wrong)
    assert (finding.verdict, finding.saw) == (verdict, saw)


@pytest.mark.parametrize(
    ("failure", "verdict"), [("it cannot", Verdict.STALE), (None, Verdict.UNSOUND)], ids=["and says so", "unnoticed"]
)
def test_rows_of_a_state_that_no_sync_brought_are_late_where_the_sync_failed(
    failure: str | None, verdict: Verdict
) -> None:
    case = with_row_more(healthy())
    last = State(Sync("incremental", "0.4.0", "1", failure), "append", case.stored, {}, None)
    assert found(replace(case, history=(last,))).verdict is verdict


def test_a_row_that_is_in_no_file_is_the_translators() -> None:
    finding = found(with_row_more(healthy()))
    assert (finding.blame, finding.impact.wrong) == (Blame.XTABLE, 1)


def test_one_row_that_the_reader_loses_beside_the_translators_is_the_readers() -> None:
    assert found(with_row_more(healthy()), {"i = 10": 0}).blame == BLAMED


@pytest.mark.parametrize(("skipping", "whose"), [(True, Blame.XTABLE), (False, UNSKIPPED)])
def test_a_row_outside_its_bounds_is_the_translators_where_files_are_skipped(skipping: bool, whose: Blame) -> None:
    assert found(with_bounds_below(healthy()), {"i = 35": 0}, skipping=skipping).blame == whose


def test_false_bounds_that_a_reader_does_not_skip_by_lose_nothing() -> None:
    settled(with_bounds_below(healthy()), skipping=False)


def without_a_file(case: Case) -> Case:
    files = case.actual.files
    exists = pa.chunked_array([[False, *files["exists"].to_pylist()[1:]]])
    gone = files.set_column(files.column_names.index("exists"), "exists", exists)
    return replace(case, actual=replace(case.actual, files=gone))


@pytest.mark.parametrize(
    ("case", "whose"), [(healthy, BLAMED), (lambda: without_a_file(healthy()), Blame.XTABLE)], ids=["no", "yes"]
)
def test_a_refusal_is_the_translators_if_a_file_is_missing(case: Any, whose: Blame) -> None:
    finding = found(case(), {"i = 35": "it will not"})
    assert (finding.blame, finding.verdict) == (whose, Verdict.UNREADABLE)


def test_files_in_folders_of_a_table_without_partitions_are_not_asked_of_hudi_0_15() -> None:
    with pytest.raises(pytest.skip.Exception, match=r"inconclusive: .* its files are in bucket-0; Hudi 0\.15\.0 looks"):
        settled(in_bucket(healthy()), {"i IS NOT NULL": 0})


def test_hudi_0_14_is_asked_of_them() -> None:
    assert found(in_bucket(healthy()), {"i IS NOT NULL": 0}, version="0.14.0").blame == BLAMED
