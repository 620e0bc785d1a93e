"""No false alarm: what Iceberg's own writer in Spark wrote breaks no claim, except those listed here with reasons."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_jobs.battery.tables import BATTERY
from tests.of_each import of_each
from tests.other_writers.conftest import BY_SPARK
from tests.other_writers.every_claim import Columns, HeldOf, on
from xtable_audit.model.planner import JUDGE, PYICEBERG
from xtable_audit.values.parquet import carries_ids

pytestmark = [pytest.mark.spark, pytest.mark.slow]

NULL_STRUCTS = {"nested": frozenset({"st.d"}), "nan_inside": frozenset({"st.d", "st.f"})}
"""A true fault of the writer (apache/iceberg issue 17561, mended by pull request 18069, after 1.9): it counts floats
and doubles itself, and misses those of a struct that is null. Where no other is null, IS NULL then finds no row.
"""
MISCOUNTED = ("value_counts_are_exact", "null_counts_are_exact")
HARM: Mapping[str, Columns] = {
    "nested": dict.fromkeys(MISCOUNTED, frozenset({"st.d"})),
    "nan_inside": {"value_counts_are_exact": frozenset({"st.f"}), "null_counts_are_exact": frozenset({"st.d", "st.f"})},
}


ADDED = on("i", "f", "word", "address.city", "address.code", "m")
KNOWN: Mapping[str, Columns] = {
    # `add_files` of files without field ids: their columns have no metrics. A true fault of Iceberg's Java: the summary
    # leaves out the size of files that come in a manifest of their own (`SnapshotSummary.addedManifest`).
    "name_mapping": {
        "totals_are_those_of_the_manifests": on(None),
        "bounds_are_present": ADDED,
        "points_skip_what_exact_bounds_would": on("word", "address.city"),
        "value_counts_are_exact": ADDED,
        "null_counts_are_exact": ADDED,
    },
    # The same, where it loses no row.
    "nested": dict.fromkeys(MISCOUNTED, on("st.d")),
    "nan_inside": {"value_counts_are_exact": on("st.d")},
    # No metrics for columns after write.metadata.metrics.max-inferred-column-defaults of them, 100 by default.
    "wide": {
        "bounds_are_present": on("c", "d"),
        "points_skip_what_exact_bounds_would": on("c", "d"),
        "value_counts_are_exact": on("c", "d"),
        "null_counts_are_exact": on("c", "d"),
    },
    # As the user wanted it: no metrics, counts alone, bounds of four characters.
    "metrics_modes": {
        "bounds_are_tight": on("cut"),
        "bounds_are_present": on("left_out", "counted"),
        "points_skip_what_exact_bounds_would": on("left_out", "counted"),
        "value_counts_are_exact": on("left_out"),
        "null_counts_are_exact": on("left_out"),
    },
    # Three times another spec: files are of the one they were written under.
    "history_spec": {
        "spec_is_the_configured_one": on(None),
        "spec_is_the_configured_one_after_a_sync": on(None),
    },
    "deletes_by_value_of_all_partitions": {
        "spec_is_the_configured_one": on(None),
        "spec_is_the_configured_one_after_a_sync": on(None),
    },
    "version_1_void": {
        "spec_is_the_configured_one": on(None),
        "spec_is_the_configured_one_after_a_sync": on(None),
    },
    "statistics_of_two_specs": {
        "spec_is_the_configured_one": on(None),
        "spec_is_the_configured_one_after_a_sync": on(None),
    },
    # A true fault of Iceberg 1.9 (mended by apache/iceberg pull request 13222): a compaction leaves the vectors of the
    # files that it replaces.
    "row_lineage": {"vectors_are_of_live_files": on(None)},
}


@of_each("name", BY_SPARK)
def test_no_claim_by_which_a_reader_loses_rows_is_broken(of_spark: HeldOf, name: str) -> None:
    table = of_spark(name)
    assert table.harm == HARM.get(table.case.id, {}), table.words


@of_each("name", BY_SPARK)
def test_what_else_is_found_is_known(of_spark: HeldOf, name: str) -> None:
    table = of_spark(name)
    assert table.harmless == KNOWN.get(table.case.id, {}), table.words


@pytest.mark.parametrize("planner", [JUDGE, PYICEBERG])
@of_each("name", BY_SPARK)
def test_no_matching_file_is_dropped(of_spark: HeldOf, name: str, planner: str) -> None:
    table = of_spark(name)
    lost = {str(loss.question) for loss in table.trials[planner].losses}
    assert lost == {f"{column} IS NULL" for column in NULL_STRUCTS.get(table.case.id, ())}


@of_each("name", BY_SPARK)
def test_planners_keep_the_same_files(of_spark: HeldOf, name: str) -> None:
    assert of_spark(name).disagreements == {}


# that there was something to find fault with


@of_each("name", BY_SPARK)
def test_files_hold_rows_and_are_listed(of_spark: HeldOf, name: str) -> None:
    table = of_spark(name)
    recorded = sum(table.case.stored.files["record_count"].to_pylist())
    assert (recorded > table.written.shown.num_rows) == bool(table.case.stored.deletions.applied)
    assert recorded >= table.written.shown.num_rows > 0


def test_a_column_renamed_since_is_found_in_files_without_ids(of_spark: HeldOf) -> None:
    case = of_spark("name_mapping").case
    without = [place for place, schema in enumerate(case.actual.schemas) if schema and not carries_ids(schema)]
    words = case.actual.columns["word"].take(pa.array(without, pa.int64())).to_pylist()
    assert [(one["min"], one["max"], one["null_count"]) for one in words] == [("s1", "s2", 2)]


@of_each("name", [name for name in BY_SPARK if f"types_{name}_groups" in BATTERY])
def test_one_file_has_several_row_groups(of_spark: HeldOf, name: str) -> None:
    table = of_spark(name)
    footers = (pq.read_metadata(table.objects.open(file)) for file in table.written.stages[-1].files)
    assert max(footer.num_row_groups for footer in footers) > 1
