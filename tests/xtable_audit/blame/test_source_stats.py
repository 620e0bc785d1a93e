"""A table's source: the statistics that it keeps of its files, and what is judged where the source is unknown."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.tables.draft import HEALTHY
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.conftest import DraftOf, TableOf
from xtable_audit.blame.source_stats import SourceStats, _alike, _value, with_source_statistics
from xtable_audit.claims import CLAIMS
from xtable_audit.formats.delta.source_statistics import delta_statistics
from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.finding import Verdict
from xtable_audit.model.sync import Thrown
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case

MILLIS, MICROS = pa.timestamp("ms", "UTC"), pa.timestamp("us", "UTC")
AT = dt.datetime(2023, 5, 5, 1, 2, 3, 123000, dt.UTC)
OF_A_SOURCE = {
    *("no_file_is_missing", "no_file_is_stale", "spec_is_the_configured_one"),
    *("files_do_not_overlap", "every_file_holds_one_value_of_its_own"),
    *("no_row_is_missing", "no_row_is_shown_twice", "no_row_is_stale", "values_are_those_of_the_source"),
}
OF_A_HISTORY = {id for id, claim in CLAIMS.items() if claim.family == "history"}


def theirs(case: Case) -> Case:
    """The table as it looks to somebody who has nothing but its metadata and its files."""
    return replace(case, source=UNKNOWN_SOURCE, history=(), rows=None)


# A source's statistics of its files, decoded by the files' own column types.


@pytest.mark.parametrize(
    ("written", "own", "kind", "value"),
    [
        pytest.param("1683248523123", MILLIS, MICROS, AT, id="milliseconds in a file of milliseconds"),
        pytest.param("1683248523123000", MICROS, MICROS, AT, id="microseconds in one of microseconds"),
        pytest.param("2023-05-05T01:02:03.123Z", MICROS, MICROS, AT, id="an instant in words"),
        pytest.param("3723004", pa.time32("ms"), pa.time64("us"), dt.time(1, 2, 3, 4000), id="a time of milliseconds"),
        pytest.param("1582-10-10", pa.date32(), pa.date32(), dt.date(1582, 10, 10), id="a date"),
        pytest.param("-1", pa.date32(), pa.date32(), dt.date(1969, 12, 31), id="days"),
        pytest.param("12.5", pa.decimal128(9, 2), pa.decimal128(9, 2), Decimal("12.50"), id="a decimal"),
        pytest.param(
            {"bytes": (25 * 10**14).to_bytes(9).hex()},
            pa.decimal128(9, 2),
            pa.decimal128(9, 2),
            Decimal("2.50"),
            id="a decimal of Hudi's index, at its own scale",
        ),
        pytest.param({"bytes": "80ff"}, pa.binary(), pa.binary(), b"\x80\xff", id="bytes"),
        pytest.param("-0.0", pa.float32(), pa.float32(), -0.0, id="a zero"),
        pytest.param("true", pa.bool_(), pa.bool_(), True, id="a boolean"),
        pytest.param("7", pa.int32(), pa.int64(), 7, id="a number that was widened"),
        pytest.param("ä", pa.string(), pa.string(), "ä", id="text"),
        pytest.param(None, pa.string(), pa.string(), None, id="nothing"),
        pytest.param("many", pa.int32(), pa.int32(), None, id="no number"),
        pytest.param(pa.scalar(AT, MICROS), MILLIS, MICROS, AT, id="what is typed"),
        pytest.param(pa.scalar("many"), pa.int32(), pa.int32(), None, id="what is of another type"),
    ],
)
def test_a_value_is_decoded_in_the_files_own_type(
    written: Any, own: pa.DataType, kind: pa.DataType, value: Any
) -> None:
    found = _value(kind, own, written)
    assert (None if found is None else found.as_py()) == value


def true_statistics(case: Case) -> dict[str, Any]:
    """Of each file what its values are, as Java would write it."""

    def text(value: Any) -> Any:
        if isinstance(value, dt.datetime):
            return str(
                int(
                    (value.replace(tzinfo=dt.UTC) - dt.datetime(1970, 1, 1, tzinfo=dt.UTC))
                    / dt.timedelta(microseconds=1)
                )
            )
        if isinstance(value, dt.time):
            return str(((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + value.microsecond)
        return value if value is None else {"bytes": value.hex()} if isinstance(value, bytes) else str(value)

    def column(name: str, place: int) -> dict[str, Any]:
        metrics = case.actual.columns[name].to_pylist()[place]
        bounds = {side: text(metrics[side]) for side in ("min", "max")}
        return bounds | {"nulls": metrics["null_count"], "values": metrics["value_count"]}

    rows = case.actual.files["record_count"].to_pylist()
    return {
        path: {"rows": rows[place], "columns": {name: column(name, place) for name in case.stored.columns}}
        for place, path in enumerate(case.stored.paths)
    }


def broken(case: Case) -> set[str]:
    return {claim.id for claim in CLAIMS.values() if claim.family in ("bounds", "counts") and claim.deviations(case)}


def test_right_source_statistics_hold_every_claim(table_of: TableOf) -> None:
    case = table_of("typed").case
    assert broken(with_source_statistics(case, SourceStats("hudi", true_statistics(case)))) == set()


@pytest.mark.parametrize(
    ("key", "false", "breaks"),
    [
        ("min", "9999", {"bounds_contain_values"}),
        ("min", None, {"bounds_are_present", "points_skip_what_exact_bounds_would"}),
        ("nulls", 6, {"null_counts_are_exact"}),
    ],
)
def test_wrong_source_statistics_break_them(table_of: TableOf, key: str, false: Any, breaks: set[str]) -> None:
    case = table_of("typed").case
    statistics = true_statistics(case)
    statistics[case.stored.paths[1]]["columns"]["int"][key] = false
    assert broken(with_source_statistics(case, SourceStats("hudi", statistics))) == breaks


def test_a_source_counts_its_rows_by_itself(table_of: TableOf) -> None:
    case = table_of("typed").case
    statistics = true_statistics(case)
    statistics[case.stored.paths[1]]["rows"] = 0
    assert "record_counts_are_exact" in broken(with_source_statistics(case, SourceStats("hudi", statistics)))


def test_what_was_kept_is_read_back(tmp_path: Path) -> None:
    kept = tmp_path / "t.stats.json"
    kept.write_text(json.dumps({"teller": "hudi", "files": {"p=a/f": {"rows": 1}}, "failures": {"p=b/g": "no"}}))
    assert SourceStats.read(kept, "s3://b/t") == SourceStats(
        "hudi", {"s3://b/t/p=a/f": {"rows": 1}}, {"s3://b/t/p=b/g": Thrown.of("no")}
    )


def test_a_maximum_of_deltas_reaches_to_the_next_millisecond(table_of: TableOf) -> None:
    """Its protocol cuts timestamps; Hudi's numbers are whole."""
    case = table_of("typed").case
    cut = {"min": "2023-05-05T01:02:03.123Z", "max": "2023-05-05T01:02:03.123Z"}
    files = {case.stored.paths[0]: {"rows": 6, "columns": {"timestamptz": cut}}}
    bounds = with_source_statistics(case, SourceStats("delta", files)).stored.columns["timestamptz"]
    assert bounds["lower"][0].as_py() == AT
    assert bounds["upper"][0].as_py() == AT + dt.timedelta(microseconds=999)


def test_a_delta_log_is_read_by_the_names_of_the_schema(tmp_path: Path) -> None:
    physical = {"delta.columnMapping.physicalName": "col-1"}
    inner = {"type": "struct", "fields": [{"name": "city", "type": "string", "metadata": {}}]}
    fields = [
        {"name": "n", "type": "decimal(38,1)", "metadata": physical},
        {"name": "st", "type": inner, "metadata": {}},
    ]
    stats = '{"numRecords": 2, "minValues": {"col-1": 12345678901234567890.5, "st": {"city": "a"}}, '
    stats += '"nullCount": {"col-1": 1}}'
    actions = [
        {"metaData": {"schemaString": json.dumps({"type": "struct", "fields": fields})}},
        {"add": {"path": "p=a%2520b/f.parquet", "stats": stats}},
        {"add": {"path": "bare.parquet"}},
    ]
    log = tmp_path / "_delta_log" / f"{0:020d}.json"
    log.parent.mkdir()
    log.write_text("\n".join(map(json.dumps, actions)))
    statistics = delta_statistics(TableFolder.at(str(tmp_path)))
    assert (statistics["teller"], list(statistics["files"])) == ("delta", ["p=a%20b/f.parquet"])
    assert statistics["files"]["p=a%20b/f.parquet"] == {
        "rows": 2,
        "columns": {
            "n": {"min": "12345678901234567890.5", "max": None, "nulls": 1, "values": 2},
            "st.city": {"min": "a", "max": None, "nulls": None, "values": None},
        },
    }


# A table that somebody else wrote: its metadata and values are judged by the same claims, its source is not.


@pytest.mark.parametrize("id", HEALTHY)
def test_claims_about_its_source_and_history_do_not_apply(table_of: TableOf, id: str) -> None:
    case = theirs(table_of(id).case)
    applying = {id for id, claim in CLAIMS.items() if claim.lacks(case) is None}
    assert applying & (OF_A_SOURCE | OF_A_HISTORY) == set()
    assert applying >= {
        "bounds_contain_values",
        "record_counts_are_exact",
        "every_file_exists",
        "tuples_equal_every_row",
    }


@pytest.mark.parametrize("id", HEALTHY)
def test_a_healthy_one_holds_every_claim_that_applies(table_of: TableOf, id: str) -> None:
    case = theirs(table_of(id).case)
    assert {id for id, claim in CLAIMS.items() if claim.lacks(case) is None and claim.deviations(case)} == set()


def test_a_false_bound_is_found_as_on_any_table(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    mutate.raise_lower(draft, 1, "int")
    case = theirs(draft.case())
    found = {id: claim.breaks for id, claim in CLAIMS.items() if claim.lacks(case) is None and claim.deviations(case)}
    assert found == {"bounds_contain_values": Verdict.UNSOUND}


LATE = AT + dt.timedelta(microseconds=456)


@pytest.mark.parametrize(
    ("theirs", "ours", "kind", "coarse", "same"),
    [
        pytest.param(1, 1, pa.int64(), 0, True, id="the same number"),
        pytest.param(1, 2, pa.int64(), 0, False, id="another number"),
        pytest.param(None, None, pa.int64(), 0, True, id="nothing in both"),
        pytest.param(1, None, pa.int64(), 0, False, id="nothing in the target"),
        pytest.param(None, 1, pa.int64(), 0, False, id="nothing in the source"),
        pytest.param(float("nan"), float("nan"), pa.float64(), 0, True, id="NaN in both"),
        pytest.param(float("nan"), 0.0, pa.float64(), 0, False, id="NaN in the source alone"),
        pytest.param(LATE, AT, MICROS, 999, True, id="a timestamp that is cut to its millisecond"),
        pytest.param(LATE, AT, MICROS, 0, False, id="one that the format need not cut"),
        pytest.param(AT, LATE, MICROS, 999, False, id="one that is raised"),
        pytest.param(AT, AT - dt.timedelta(seconds=1), MICROS, 999, False, id="one that is cut to a second"),
        pytest.param(None, AT, MICROS, 999, False, id="no timestamp in the source"),
        pytest.param(None, None, MICROS, 999, True, id="none in both"),
    ],
)
def test_the_target_has_what_the_source_has(
    theirs: object, ours: object, kind: pa.DataType, coarse: int, *, same: bool
) -> None:
    of_source, of_target = (pa.chunked_array([[one]], kind) for one in (theirs, ours))
    assert _alike(of_source, of_target, coarse).tolist() == [same]
