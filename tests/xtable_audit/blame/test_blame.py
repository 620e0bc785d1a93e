"""Whose fault a finding is, by what the controls show: each mutant of blame gets its own name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from tests.tables.draft import Draft
from tests.xtable_audit.blame.test_source_stats import true_statistics
from tests.xtable_audit.claims import faults_of_manifests, faults_of_metadata_json
from tests.xtable_audit.conftest import DraftOf, TableOf
from xtable_audit.blame import ruling as blame
from xtable_audit.blame.causes import root_of
from xtable_audit.blame.ruling import Control, Relied, Ruling, Site
from xtable_audit.blame.source_stats import SourceStats
from xtable_audit.formats.iceberg.check.support import ICEBERG
from xtable_audit.model.finding import Blame, Verdict
from xtable_audit.model.predicate import Compare, Predicate
from xtable_audit.model.sync import Thrown

A, B = "s3://b/a.parquet", "s3://b/b.parquet"
WROTE = Blame.XTABLE, "XTable wrote it"
UNKNOWN = "Hudi's own statistics are unknown"


def site(file: str = A, column: str = "n", kind: str = "false", verdict: Verdict = Verdict.UNSOUND) -> Site:
    return Site(file, column, kind, verdict)


def control(*sites: Site, unable: frozenset[str] = frozenset()) -> Control:
    return Control(frozenset(sites), unable)


def hudi(*sites: Site, files: frozenset[str] = frozenset({A, B})) -> Relied:
    return Relied("hudi", frozenset(sites), files)


def ruled(*seen: Site, by: Control | None, relied: Relied | str = "") -> Ruling:
    return blame.of_translation(frozenset(seen), by, relied)


LEFT_OUT = site(kind="absent", verdict=Verdict.LOOSE)


def test_a_control_that_leaves_it_out_too_acquits() -> None:
    both = LEFT_OUT, replace(LEFT_OUT, file=B)
    assert ruled(*both, by=control(*both))[0] == Blame.SOURCE_LAYOUT


def test_a_control_that_writes_the_same_false_value_acquits_nobody() -> None:
    """It could have been left out."""
    whose, because = ruled(site(), by=control(site()))
    assert (whose, because) == (Blame.XTABLE, "the control translator does the same there, which acquits nobody")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(site(B), id="in another file"),
        pytest.param(site(column="m"), id="in another column"),
        pytest.param(site(kind="absent"), id="in another way"),
        pytest.param(site(verdict=Verdict.COSMETIC), id="and no reader is misled"),
    ],
)
def test_a_control_that_errs_elsewhere_acquits_nobody(other: Site) -> None:
    assert ruled(site(), by=control(other))[0] == Blame.XTABLE


def test_what_the_control_does_in_one_file_of_three_acquits_nobody() -> None:
    absent = [site(file, kind="absent", verdict=Verdict.LOOSE) for file in (A, B, "s3://b/c.parquet")]
    assert ruled(*absent, by=control(absent[1]))[0] == Blame.XTABLE


def test_the_verdict_reported_is_the_one_that_is_blamed() -> None:
    """What the control does as well, and is less grave, is none of the finding's verdict."""
    lesser = site(B, verdict=Verdict.COSMETIC)
    assert ruled(LEFT_OUT, lesser, by=control(LEFT_OUT))[0] == Blame.SOURCE_LAYOUT
    assert ruled(LEFT_OUT, lesser, by=control(lesser))[0] == Blame.XTABLE


def test_a_control_that_never_writes_a_column_acquits_nobody_of_it() -> None:
    absent = site(column="st.n", kind="absent", verdict=Verdict.LOOSE)
    whose, because = ruled(absent, by=control(absent, unable=frozenset({"st.n"})))
    assert (whose, because) == (
        Blame.XTABLE,
        "the control translator writes no metrics of columns in structs, which acquits nobody",
    )


def test_hudi_that_errs_is_what_xtable_relies_on() -> None:
    whose, because = ruled(site(), site(B), by=control(), relied=hudi(site(), site(B)))
    assert (whose, because.split(";")[0]) == (
        Blame.XTABLE_VIA_HUDI,
        "Hudi's own statistics of the same files and columns are wrong too",
    )


def test_hudi_that_errs_is_found_without_a_control_too() -> None:
    assert ruled(site(), by=None, relied=hudi(site()))[0] == Blame.XTABLE_VIA_HUDI


@pytest.mark.parametrize(
    ("relied", "words"),
    [
        pytest.param(hudi(), "Hudi's own statistics of the same files and columns are right", id="is right"),
        pytest.param(hudi(site()), "are right in 1 of 2 places", id="errs in one of two files"),
        pytest.param(hudi(site(), site(B, kind="absent")), "right in 1 of 2", id="errs in one in another way"),
        pytest.param(hudi(site(), site(B), files=frozenset({A})), "right in 1 of 2", id="has statistics of one file"),
        pytest.param(UNKNOWN, UNKNOWN, id="has unknown statistics"),
    ],
)
def test_where_hudi_does_not_err_everywhere_xtable_does(relied: Relied | str, words: str) -> None:
    whose, because = ruled(site(), site(B), by=control(), relied=relied)
    assert (whose, words in because) == (Blame.XTABLE, True), because


def test_xtable_with_right_source_statistics_is_not_acquitted_by_a_control_that_errs_too() -> None:
    assert ruled(LEFT_OUT, by=control(LEFT_OUT), relied=hudi())[0] == Blame.XTABLE
    assert ruled(LEFT_OUT, by=control(LEFT_OUT), relied=hudi(LEFT_OUT))[0] == Blame.SOURCE_LAYOUT


def test_wrong_statistics_in_a_delta_log_are_deltas_fault() -> None:
    assert ruled(site(), by=control(), relied=Relied("delta", frozenset({site()}), frozenset({A})))[0] == Blame.DELTA


def test_a_source_that_is_configured_to_keep_no_statistics_is_configuration() -> None:
    statistics = Relied("delta", frozenset({LEFT_OUT}), frozenset({A, B}), silent=frozenset({A}))
    assert ruled(LEFT_OUT, by=control(), relied=statistics)[0] == Blame.CONFIGURATION
    assert ruled(replace(LEFT_OUT, file=B), by=control(), relied=statistics)[0] == Blame.XTABLE


POINT: Predicate = Compare("int", "=", 3)


def lost(*files: str) -> Relied:
    sites = frozenset(Site(file, str(POINT), "absent", Verdict.UNSOUND) for file in files)
    return Relied("hudi", sites, frozenset({A, B}))


@pytest.mark.parametrize(
    ("author", "relied", "whose"),
    [
        pytest.param(WROTE, lost(A, B), Blame.XTABLE_VIA_HUDI, id="Hudi's own answers lose them too"),
        pytest.param(WROTE, lost(A), Blame.XTABLE, id="Hudi's own answers lose one"),
        pytest.param(WROTE, UNKNOWN, Blame.XTABLE, id="Hudi's own statistics are unknown"),
        pytest.param((Blame.CONTROL, "it wrote it"), lost(A, B), Blame.CONTROL, id="the control wrote it"),
    ],
)
def test_lost_files_are_the_authors_or_hudis(author: Ruling, relied: Relied | str, whose: Blame) -> None:
    assert blame.of_losses(author, {POINT: frozenset({A, B})}, 0, relied)[0] == whose


def test_source_statistics_lose_files_by_bounds_and_by_no_tuple(table_of: TableOf) -> None:
    case = table_of("typed").case
    path = case.stored.paths[1]
    value = Compare("int", "=", case.actual.columns["int"]["min"][1].as_py())
    elsewhere = Compare("region", "=", "nowhere")

    def lose(predicate: Predicate, column: str, low: str | None, high: str | None) -> bool:
        """Whether they do with these bounds of the column in the file."""
        statistics = true_statistics(case)
        statistics[path]["columns"][column] |= {"min": low, "max": high}
        return bool(Relied.of_losses(case, SourceStats("hudi", statistics), {predicate: frozenset({path})}).sites)

    assert lose(value, "int", "1000000", "1000001")
    assert not lose(value, "int", "0", "1000001")
    assert lose(elsewhere, "region", "a", "b")
    assert not lose(elsewhere, "region", None, None)


def required(draft: Draft) -> None:
    """A column with nulls that the schema calls required."""
    faults_of_metadata_json.change_column(draft, "holey", required=True)


@pytest.mark.parametrize(
    ("spoil", "column", "root"),
    [
        pytest.param(required, "holey", "required_columns_have_no_nulls", id="a required column with nulls"),
        pytest.param(
            partial(faults_of_manifests.tuple_ids, ids=lambda id: id + 9),
            "region",
            "tuples_have_the_ids_of_the_spec",
            id="other ids of partition fields",
        ),
    ],
)
def test_what_a_planner_drops_by_false_metadata_follows_from_that(
    table_of: TableOf, draft_of: DraftOf, spoil: Callable[[Draft], None], column: str, root: str
) -> None:
    draft = draft_of("typed")
    spoil(draft)
    found = root_of(ICEBERG.plans, draft.case(), [(draft.path(0), column)])
    assert found is not None
    assert found.claim.id == root
    assert root_of(ICEBERG.plans, table_of("typed").case, [(draft.path(0), column)]) is None


def test_what_it_drops_elsewhere_too_is_its_own_fault(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    required(draft)
    both = [(draft.path(0), "holey"), (draft.path(0), "int")]
    assert root_of(ICEBERG.plans, draft.case(), both) is None
    assert blame.of_a_planner(WROTE, "java", draft.case())[0] == Blame.reader("java")


@pytest.mark.parametrize(("fares_no_better", "whose"), [(True, Blame.reader("duckdb")), (False, Blame.XTABLE)])
def test_a_reader_that_errs_on_the_controls_table_too_is_to_blame(fares_no_better: bool, whose: Blame) -> None:
    assert blame.of_a_reader("duckdb", fares_no_better=fares_no_better)[0] == whose


ILLEGAL, NULL = "java.lang.IllegalArgumentException", "java.lang.NullPointerException"


@pytest.mark.parametrize(
    ("failures", "whose"),
    [
        ([Thrown(ILLEGAL, "in any words")], Blame.XTABLE_VIA_HUDI),
        ([Thrown(NULL, ILLEGAL), Thrown(ILLEGAL, "in any words")], Blame.XTABLE_VIA_HUDI),
        ([Thrown(NULL, ILLEGAL)], Blame.XTABLE),
        ([Thrown("", ILLEGAL)], Blame.XTABLE),
        ([], Blame.XTABLE),
    ],
)
def test_a_sync_that_hudis_own_function_fails_is_via_hudi(failures: list[Thrown], whose: Blame) -> None:
    assert blame.of_a_failed_sync(WROTE, failures, {ILLEGAL})[0] == whose


@pytest.mark.parametrize("path", ["xtable", "xtable via hudi", "source layout", "reader iceberg java", "writer spark"])
def test_a_blame_is_its_path(path: str) -> None:
    assert (Blame(path), str(Blame(path))) == (path, path)


@pytest.mark.parametrize("path", ["me", "reader", "reader ", "source_layout", "xtable via duckdb", ""])
def test_what_is_no_path_is_no_blame(path: str) -> None:
    with pytest.raises(ValueError, match="is no blame; there are xtable, "):
        Blame(path)
