"""The metrics in the manifests of an Iceberg source, and whom they accuse of what a Delta log has of its files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.types import StringType

from tests.tables.iceberg_by_pyiceberg import files, iceberg, rows, snapshots, translate
from xtable_audit.blame.ruling import Lost, Relied, of_losses, of_translation, sites
from xtable_audit.blame.source_stats import SourceStats
from xtable_audit.claims.bounds import bounds_are_present, bounds_are_tight, bounds_contain_values
from xtable_audit.claims.counts import null_counts_are_exact, record_counts_are_exact
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.formats.delta.state import delta_below
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.iceberg.source_statistics import iceberg_statistics
from xtable_audit.formats.installed import read_stored
from xtable_audit.formats.source import Undetermined
from xtable_audit.model.delta_version import LOG
from xtable_audit.model.finding import Blame
from xtable_audit.model.predicate import Compare
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case, case_of
from xtable_audit.table.synced import Synced

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
LOW, HIGH = "a" * 20, "b" * 20
CUT_LOW, CUT_HIGH = "a" * 16, "b" * 15 + "c"
"""The bounds that PyIceberg writes of them."""


@contextmanager
def written(root: Path) -> Iterator[Any]:
    """One file of two long texts."""
    with iceberg(root) as made:
        made.append(pa.table({"n": pa.array([1, 2], pa.int64()), "s": [LOW, HIGH]}))
        yield made


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Any]:
    with written(tmp_path / "t") as made:
        yield made


def folder_of(table: Any) -> TableFolder:
    return TableFolder.at(table.location().removeprefix("file://"))


def statistics(table: Any, snapshot: str = "") -> dict[str, Any]:
    return iceberg_statistics(folder_of(table), Synced(LONG_AGO, snapshot or snapshots(table)[-1], (), "iceberg"))


def plain(of: Mapping[str, Any]) -> dict[str, Any]:
    return {word: one.as_py() if isinstance(one, pa.Scalar) else one for word, one in of.items()}


def column(table: Any, name: str) -> list[dict[str, Any] | None]:
    """Its metrics in each file; None of one that says nothing of such a column."""
    found = statistics(table)["files"]
    columns = (found[one]["columns"] for one in files(table))
    return [plain(of[name]) if name in of else None for of in columns]


def metrics(low: Any, high: Any, nulls: int | None = 0, values: int | None = 2) -> dict[str, Any]:
    return {"min": low, "max": high, "nulls": nulls, "values": values}


# What the source has.


def test_they_are_the_metrics_that_the_manifests_have(table: Any) -> None:
    assert [*statistics(table)["files"]] == files(table)
    assert statistics(table)["files"][files(table)[0]]["rows"] == 2
    assert column(table, "n") == [metrics(1, 2)]
    assert column(table, "s") == [metrics(CUT_LOW, CUT_HIGH)]


def test_they_are_those_of_the_snapshot_that_was_synced(table: Any) -> None:
    table.append(rows(7))
    first, second = snapshots(table)
    assert (len(statistics(table, first)["files"]), len(statistics(table, second)["files"])) == (1, 2)


def test_a_snapshot_that_was_rolled_back_still_has_them(table: Any) -> None:
    table.append(rows(7))
    first, second = snapshots(table)
    table.manage_snapshots().rollback_to_snapshot(int(first)).commit()
    assert len(statistics(table, second)["files"]) == 2


def test_a_table_before_its_first_snapshot_has_none(table: Any) -> None:
    assert statistics(table, "0")["files"] == {}


def test_a_snapshot_that_is_gone_has_none(table: Any) -> None:
    with pytest.raises(Undetermined, match="which the source does not have any more"):
        statistics(table, "77")


def test_a_column_has_its_older_names_too(table: Any) -> None:
    with table.update_schema() as schema:
        schema.rename_column("s", "t")
    assert column(table, "t") == column(table, "s") == [metrics(CUT_LOW, CUT_HIGH)]


def test_a_dropped_column_still_has_its_metrics(table: Any) -> None:
    with table.update_schema() as schema:
        schema.delete_column("s")
    assert column(table, "s") == [metrics(CUT_LOW, CUT_HIGH)]


def test_of_a_name_that_two_columns_had_nothing_is_said(table: Any) -> None:
    with table.update_schema() as schema:
        schema.delete_column("s")
    with table.update_schema() as schema:
        schema.add_column("s", StringType())
    assert column(table, "s") == [None]


def test_a_column_whose_metrics_are_turned_off_is_there_without_any(tmp_path: Path) -> None:
    with iceberg(tmp_path / "t", **{"write.metadata.metrics.column.s": "none"}) as table:
        table.append(rows(0))
        assert column(table, "s") == [metrics(None, None, None, None)]


# Whom they accuse.


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The same table, of whose log each test writes its own."""
    with written(tmp_path_factory.mktemp("source") / "t") as made:
        yield made


def logged(source: Any, **changed: Any) -> Case:
    """A Delta log that has the source's metrics of its only file, but for these."""
    translate(source, files(source), snapshots(source)[-1])
    stats = {
        "numRecords": 2,
        "minValues": {"n": 1, "s": CUT_LOW},
        "maxValues": {"n": 2, "s": CUT_HIGH},
        "nullCount": {"n": 0, "s": 0},
    }
    for what, of in changed.items():
        stats[what] = {**stats[what], **of} if isinstance(of, dict) else of  # type: ignore[dict-item]
    folder = folder_of(source)
    log = Path(folder.root) / LOG / f"{0:020}.json"
    *others, last = log.read_text(encoding="utf-8").splitlines()
    add = json.loads(last)
    add["add"]["stats"] = json.dumps(stats)
    log.write_text("\n".join([*others, json.dumps(add)]) + "\n", encoding="utf-8")
    location, _ = delta_below(folder.objects, folder.root)
    return case_of(folder.objects, "t", read_stored(folder.objects, location), UNKNOWN_SOURCE, ())


def blamed(source: Any, case: Case, claim: TableClaim, stats: SourceStats | None = None) -> Blame:
    seen = sites(claim, case, claim.deviations(case))
    assert seen, f"{claim.id} holds"
    stats = stats or SourceStats.below(folder_of(source).root, statistics(source))
    return of_translation(seen, None, Relied.of(claim, case, stats))[0]


def spoilt(source: Any, **changed: Any) -> SourceStats:
    """The source's statistics with other ones of the column `n`, as if its writer were wrong."""
    stats = SourceStats.below(folder_of(source).root, statistics(source))
    for of in stats.files.values():
        of["columns"]["n"] = {**of["columns"]["n"], **changed}
    return stats


@pytest.mark.parametrize(
    ("log", "words"),
    [({}, "own manifests are the same;"), ({"minValues": {"s": ""}}, "own manifests are others;")],
    ids=["the same", "others"],
)
def test_the_reason_says_whether_the_source_has_the_same(source: Any, log: Any, words: str) -> None:
    case = logged(source, **log)
    relied = Relied.of(bounds_are_tight, case, SourceStats.below(folder_of(source).root, statistics(source)))
    seen = sites(bounds_are_tight, case, bounds_are_tight.deviations(case))
    assert words in of_translation(seen, None, relied)[1]


def test_the_source_is_named_where_the_target_has_its_bound(source: Any) -> None:
    assert blamed(source, logged(source), bounds_are_tight) == Blame.ICEBERG


@pytest.mark.parametrize("low", ["a" * 4, ""], ids=["cut shorter", "cut to nothing"])
def test_xtable_is_named_where_the_target_has_another_bound(source: Any, low: str) -> None:
    """Both are loose, and the target's is not the source's."""
    assert blamed(source, logged(source, minValues={"s": low}), bounds_are_tight) == Blame.XTABLE


def test_xtable_is_named_where_it_leaves_out_a_bound_of_the_source(source: Any) -> None:
    case = logged(source, minValues={"n": None}, maxValues={"n": None})
    assert blamed(source, case, bounds_are_present) == Blame.XTABLE


def test_the_source_is_named_where_neither_has_a_bound(source: Any) -> None:
    case = logged(source, minValues={"n": None}, maxValues={"n": None})
    assert blamed(source, case, bounds_are_present, spoilt(source, min=None, max=None)) == Blame.ICEBERG


def test_xtable_is_named_for_a_column_that_the_source_says_nothing_of(source: Any) -> None:
    case = logged(source, minValues={"n": None}, maxValues={"n": None})
    stats = spoilt(source)
    for of in stats.files.values():
        del of["columns"]["n"]
    assert blamed(source, case, bounds_are_present, stats) == Blame.XTABLE


def test_xtable_is_named_for_a_bound_that_is_no_value_of_the_targets_type(source: Any) -> None:
    """It is no bound that the source lacks."""
    case = logged(source, minValues={"n": None}, maxValues={"n": None})
    stats = spoilt(source, min=pa.scalar("one"), max=pa.scalar("two"))
    assert blamed(source, case, bounds_are_present, stats) == Blame.XTABLE


@pytest.mark.parametrize(
    ("low", "whose"),
    [(2, Blame.ICEBERG), (3, Blame.XTABLE), (1, Blame.XTABLE)],
    ids=["the same false bound", "another false bound", "a right one"],
)
def test_a_false_bound_is_the_sources_where_it_has_the_same(source: Any, low: int, whose: Blame) -> None:
    case = logged(source, minValues={"n": 2})
    assert blamed(source, case, bounds_contain_values, spoilt(source, min=pa.scalar(low, pa.int64()))) == whose


@pytest.mark.parametrize(("nulls", "whose"), [(5, Blame.ICEBERG), (4, Blame.XTABLE), (0, Blame.XTABLE)])
def test_a_false_null_count_is_the_sources_where_it_has_the_same(source: Any, nulls: int, whose: Blame) -> None:
    case = logged(source, nullCount={"n": 5})
    assert blamed(source, case, null_counts_are_exact, spoilt(source, nulls=nulls)) == whose


@pytest.mark.parametrize(("count", "whose"), [(3, Blame.ICEBERG), (4, Blame.XTABLE), (2, Blame.XTABLE)])
def test_a_false_number_of_rows_is_the_sources_where_it_has_the_same(source: Any, count: int, whose: Blame) -> None:
    stats = SourceStats.below(folder_of(source).root, statistics(source))
    files = {path: {**of, "rows": count} for path, of in stats.files.items()}
    case = logged(source, numRecords=3)
    assert blamed(source, case, record_counts_are_exact, SourceStats("iceberg", files)) == whose


@pytest.mark.parametrize(("low", "whose"), [(2, Blame.ICEBERG), (3, Blame.XTABLE), (1, Blame.XTABLE)])
def test_a_file_is_lost_by_the_source_where_the_target_has_its_bounds(source: Any, low: int, whose: Blame) -> None:
    case = logged(source, minValues={"n": 2})
    losses: Lost = {Compare("n", "=", 1): frozenset(case.stored.paths)}
    relied = Relied.of_losses(case, spoilt(source, min=pa.scalar(low, pa.int64())), losses)
    assert of_losses((Blame.XTABLE, "XTable wrote it"), losses, None, relied)[0] == whose
