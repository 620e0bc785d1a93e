"""`check` on tables that this suite did not make: a healthy one has no finding, and one with a fault has that fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from lab.stack.versions import stack
from tests.other_writers.conftest import BY_DUCKDB, BY_SPARK, BY_TRINO
from tests.other_writers.every_claim import Found, Held, HeldOf, document_of, found_in
from tests.other_writers.remedied import one_delete_more
from tests.tables.draft import Draft, Record
from tests.tables.healthy import Table
from tests.xtable_audit.claims import faults_beside, mutate
from xtable_audit.model.finding import Verdict

UNSOUND, UNREADABLE, LOOSE, COSMETIC = Verdict.UNSOUND, Verdict.UNREADABLE, Verdict.LOOSE, Verdict.COSMETIC

pytestmark = [pytest.mark.slow]
SPARK = pytest.mark.spark
DUCKDB = pytest.mark.jvm

WITHOUT_BOUNDS = {"bounds_are_present": LOOSE}
SKIPS_LESS = WITHOUT_BOUNDS | {"points_skip_what_exact_bounds_would": LOOSE}
MISCOUNTED = {"value_counts_are_exact": UNSOUND, "null_counts_are_exact": UNSOUND}
FOUND: Mapping[str, Mapping[str, Found]] = {
    # A true fault of the writer, or what costs its readers more: `test_spark` and the others say which.
    "spark": {
        "nested": MISCOUNTED,
        "nan_inside": MISCOUNTED,
        "name_mapping": SKIPS_LESS | {"totals_are_those_of_the_manifests": COSMETIC},
        "row_lineage": {"vectors_are_of_live_files": COSMETIC},
    },
    "trino": {
        "by_infinity": {"tuples_equal_every_row": UNSOUND},
        "nan": SKIPS_LESS,
        "nested": WITHOUT_BOUNDS,
        "nan_inside": SKIPS_LESS,
    },
    "duckdb": {
        "float_edges": {"zeros_are_in_total_order": UNSOUND},
        "nan_inside": {"zeros_are_in_total_order": UNSOUND},
        "by_nan_and_zeros": {"zeros_are_in_total_order": UNSOUND, "summaries_cover_every_tuple": UNSOUND},
        "by_nan_apart": {"summaries_cover_every_tuple": UNSOUND},
        "truncated": {"bounds_are_of_the_columns_type": UNREADABLE},
        "times_of_day_and_uuids": SKIPS_LESS,
        "nulls": WITHOUT_BOUNDS,
        "ints": SKIPS_LESS,
    },
}
WRITERS = [
    pytest.param("spark", BY_SPARK, marks=SPARK, id="spark"),
    pytest.param("trino", BY_TRINO, id="trino"),
    pytest.param("duckdb", BY_DUCKDB, marks=DUCKDB, id="duckdb"),
]


@pytest.fixture
def held_of(request: pytest.FixtureRequest, writer: str) -> HeldOf:
    of_writer: HeldOf = request.getfixturevalue(f"of_{writer}")
    return of_writer


@pytest.mark.parametrize(("writer", "names"), WRITERS)
def test_nothing_is_found_but_what_is_known_of_the_writer(
    held_of: HeldOf, writer: str, names: Iterable[str], subtests: pytest.Subtests
) -> None:
    for name in names:
        with subtests.test(name):
            held = held_of(name)
            document = document_of(name, held.mirror, held.location)
            told = [str(one.finding) for one in document.claims if one.finding]
            assert found_in(document) == FOUND[writer].get(name, {}), "\n".join(told)


@SPARK
def test_the_version_of_another_writer_is_not_said_to_be_xtables(of_spark: HeldOf) -> None:
    held = of_spark("row_lineage")
    versions = document_of("row_lineage", held.mirror, held.location).versions
    assert versions["spark"] == stack().spark
    assert "xtable" not in versions


@dataclass(frozen=True)
class Planted:
    """A fault in one table of one writer, and the claims that fail by it."""

    words: str
    writer: str
    name: str
    spoil: Callable[[Draft], None]
    found: Found

    def __str__(self) -> str:
        return f"{self.writer}: {self.name}: {self.words}"


def lowered(draft: Draft, column: str) -> None:
    mutate.lower_upper(draft, 0, column)


def one_null(draft: Draft, column: str) -> None:
    mutate.set_count("null", lambda true: true["null_count"] + 1)(draft, 0, column)


def another_bucket(draft: Draft) -> None:
    """The first file in another bucket of its first field."""

    def change(file: Record) -> None:
        first = next(iter(file["partition"]))
        file["partition"][first] = (file["partition"][first] + 1) % 3

    draft.change_file(0, change)


def longer_manifest(draft: Draft) -> None:
    draft.change_manifests(lambda manifests: manifests[0].update(manifest_length=manifests[0]["manifest_length"] + 1))


def next_row_id(draft: Draft) -> None:
    draft.change_metadata(lambda metadata: metadata.update({"next-row-id": 1}))


def same_row_ids(draft: Draft) -> None:
    """The first manifest's files with the row ids of the last one's."""

    def change(manifests: list[Record]) -> None:
        data = [one for one in manifests if one["content"] == 0]
        data[0]["first_row_id"] = data[-1]["first_row_id"]

    draft.change_manifests(change)


def without_branch(draft: Draft) -> None:
    """The manifest list of the branch is gone."""
    metadata = draft.metadata()
    [branch] = [ref["snapshot-id"] for name, ref in metadata["refs"].items() if name == "beside"]
    [lost] = [one for one in metadata["snapshots"] if one["snapshot-id"] == branch]
    draft.mirror.file(lost["manifest-list"]).unlink()


def statistics(draft: Draft, kind: str, name: str) -> None:
    faults_beside.told(draft, kind, partial(faults_beside.more, name=name))


OF_EACH: Mapping[str, tuple[Callable[[Draft], None], Found]] = {
    "upper bound lowered": (partial(lowered, column="n"), {"bounds_contain_values": UNSOUND}),
    "a null too many": (partial(one_null, column="n"), {"null_counts_are_exact": COSMETIC}),
    "another bucket": (another_bucket, {"tuples_equal_every_row": UNSOUND}),
    "a row too many": (
        partial(mutate.set_field("record_count", lambda rows: rows + 1), place=0),
        {"record_counts_are_exact": UNSOUND},
    ),
    "manifest too long": (longer_manifest, {"manifest_lengths_are_exact": COSMETIC}),
    "data file deleted": (partial(mutate.delete_object, place=0), {"every_file_exists": UNREADABLE}),
}
OF_SPARK: Mapping[str, tuple[str, Callable[[Draft], None], Found]] = {
    "a position too many": ("deletes_by_vector", one_delete_more, {"delete_counts_are_exact": UNREADABLE}),
    "next row id too low": (
        "row_lineage_of_an_upgraded_table",
        next_row_id,
        {"next_row_id_is_higher": UNSOUND, "snapshots_take_row_ids_in_turn": UNSOUND},
    ),
    "row ids twice": (
        "row_lineage_of_an_upgraded_table",
        same_row_ids,
        {"manifests_take_their_snapshots_row_ids": UNSOUND},
    ),
    "branch without a manifest list": (
        "branches_and_tags",
        without_branch,
        {"branches_and_tags_can_be_read": UNREADABLE},
    ),
    "statistics too long": (
        "statistics",
        partial(statistics, kind="statistics", name="file-size-in-bytes"),
        {"statistics_sizes_are_exact": COSMETIC},
    ),
    "partition statistics of no snapshot": (
        "statistics",
        partial(statistics, kind="partition-statistics", name="snapshot-id"),
        {"statistics_are_of_snapshots": COSMETIC},
    ),
}
MORE = {"delete_counts_are_exact": COSMETIC}
WITH_DELETES = {"spark": "deletes_by_position", "trino": "rows_deleted", "duckdb": "rows_deleted"}
PLANTED = [
    *(Planted(words, writer, "by_bucket", *told) for writer in FOUND for words, told in OF_EACH.items()),
    *(Planted("a delete too many", writer, name, one_delete_more, MORE) for writer, name in WITH_DELETES.items()),
    *(Planted(words, "spark", *told) for words, told in OF_SPARK.items()),
]
MARKS = {"spark": (SPARK,), "trino": (), "duckdb": (DUCKDB,)}


def drafted(held: Held, folder: Path) -> Draft:
    root = held.location.partition("/metadata/")[0]
    return Draft.of(Table(held.written.name, held.mirror, root, held.location, (), ()), folder)


@pytest.mark.parametrize(
    ("writer", "planted"), [pytest.param(one.writer, one, marks=MARKS[one.writer], id=str(one)) for one in PLANTED]
)
def test_a_planted_fault_is_found_and_nothing_else(held_of: HeldOf, planted: Planted, tmp_path: Path) -> None:
    held = held_of(planted.name)
    draft = drafted(held, tmp_path / "spoilt")
    planted.spoil(draft)
    document = document_of(planted.name, draft.mirror, held.location)
    told = [str(one.finding) for one in document.claims if one.finding]
    assert found_in(document) == planted.found, "\n".join(told)
