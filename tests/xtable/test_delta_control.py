"""The control of Delta: what delta-rs commits over recorded Hudi tables is right, and each claim of it can fail."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import Field, Schema, convert_to_deltalake
from deltalake.exceptions import DeltaError
from deltalake.schema import PrimitiveType

from lab.provision.translator_registry import CONTROLLED
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from tests.xtable_audit.formats.delta.tables import Action, actions, case_at, failing, judged, newest, rewrite
from tools.pages.affected import recorded_sources
from xtable.delta_control import commit
from xtable.replay import RECORDINGS, SOURCES
from xtable_audit.claims.bounds import bounds_are_tight, bounds_contain_values
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.model.delta_version import LOG
from xtable_audit.model.finding import Verdict

COMPARED = {
    *("bounds_contain_values", "bounds_are_tight", "bounds_are_present", "record_counts_are_exact", "sizes_are_exact"),
    *("null_counts_are_exact", "tuples_equal_every_row", "every_file_exists", "points_skip_what_exact_bounds_would"),
}
SPAN = pa.table({"p": ["a", "b"], "x": [1, 2]})


def base_files(root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in root.glob("*/*.parquet")]


@pytest.fixture(params=CONTROLLED)
def controlled(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of each source that the control translates, with the log in it."""
    name = request.param
    recorded = RECORDINGS / SOURCES if name in RECIPES else recorded_sources()
    root = Path(shutil.copytree(recorded / name, tmp_path / name))
    commit(root, base_files(root), (RECIPES | BATTERY)[name].partition_by, root)
    return root


def test_no_claim_fails_on_the_control(controlled: Path) -> None:
    found = judged(case_at(controlled))
    assert {id for id, deviations in found.items() if deviations} == set()
    assert found.keys() >= COMPARED


@pytest.mark.parametrize(
    ("lower", "claim", "verdict"),
    [("~", bounds_contain_values, Verdict.UNSOUND), ("", bounds_are_tight, Verdict.LOOSE)],
    ids=["above the values", "below the values"],
)
def test_one_false_bound_of_the_control_is_found(
    controlled: Path, lower: str, claim: TableClaim, verdict: Verdict
) -> None:
    def change(commit: list[Action]) -> list[Action]:
        """In the text of the first file's statistics, whose first part is `minValues`."""
        first = next(action["add"] for action in commit if "add" in action)
        first["stats"] = re.sub(r'(?<="_hoodie_record_key": )"[^"]*"', f'"{lower}"', first["stats"], count=1)
        return commit

    rewrite(controlled, change)
    [found] = failing(case_at(controlled))[claim.id]
    assert (found.places, found.column, found.verdict or claim.breaks) == ((0,), "_hoodie_record_key", verdict)


def test_the_log_has_the_files_that_it_is_given(hudi_table: Path) -> None:
    """A folder has base files of older slices, too."""
    first, *others = base_files(hudi_table)
    commit(hudi_table, others, ["pickup_month"], hudi_table)
    assert {one["add"]["path"] for one in actions(Path(newest(hudi_table))) if "add" in one} == {*others}
    assert first not in others


def test_a_file_of_several_partitions_is_refused(tmp_path: Path) -> None:
    pq.write_table(SPAN, tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet holds rows of several partitions: p is a and b"):
        commit(tmp_path, ["a.parquet"], ["p"], tmp_path)


def test_bounds_that_json_has_no_form_for_are_left_out(tmp_path: Path) -> None:
    rows = pa.table({"d": [float("inf"), 1.0], "b": [b"x", b"y"], "n": pa.nulls(2, pa.int64()), "l": [[1], None]})
    pq.write_table(rows, tmp_path / "a.parquet")
    commit(tmp_path, ["a.parquet"], [], tmp_path)
    [add] = [one["add"] for one in actions(Path(newest(tmp_path))) if "add" in one]
    assert json.loads(add["stats"]) == {
        "numRecords": 2,
        "minValues": {"d": 1.0},
        "maxValues": {},
        "nullCount": {"d": 0, "b": 0, "n": 2},
    }


def test_delta_rs_refuses_to_convert_hudis_files_itself(hudi_table: Path) -> None:
    months = Schema([Field("pickup_month", PrimitiveType("string"))])
    with pytest.raises(DeltaError, match="Duplicate field name"):
        convert_to_deltalake(hudi_table, partition_by=months, partition_strategy="hive")
    assert not (hudi_table / LOG).exists()
