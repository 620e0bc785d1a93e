"""Each claim about a Delta table is proven by a log with one thing wrong: that claim fails, and no other."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.xtable_audit.formats.delta.tables import (
    Action,
    actions,
    case_at,
    failing,
    inline_vector,
    of_every_type,
    parted,
    rewrite,
    with_add,
    with_metadata,
    with_schema,
    with_statistics,
    write,
)
from xtable_audit.formats.delta.claims import CLAIMS
from xtable_audit.judge import build_finding
from xtable_audit.model.delta_version import LOG
from xtable_audit.model.finding import Blame, Verdict

Change = Callable[[list[Action]], Iterable[Action]]
UNSOUND, LOOSE, UNREADABLE = Verdict.UNSOUND, Verdict.LOOSE, Verdict.UNREADABLE
SKIPPING = {"bounds_are_tight": LOOSE, "points_skip_what_exact_bounds_would": LOOSE}


@dataclass(frozen=True)
class LogMutation:
    change: Change
    breaks: dict[str, Verdict]
    column: str | None = None
    partitioned_by: str = ""


def bound(side: str, column: str, value: Any) -> Change:
    return with_statistics(lambda one: one[f"{side}Values"].update({column: value}))


def nulls(column: str, value: Any) -> Change:
    return with_statistics(lambda one: one["nullCount"].update({column: value}))


def path(change: Callable[[str], str]) -> Change:
    return with_add(lambda add: add.update({"path": change(add["path"])}))


def values(**texts: str | None) -> Change:
    """The partition value of each file that has one is another."""

    def change(add: Action) -> None:
        if add["partitionValues"]["p"] is not None:
            add["partitionValues"].update(texts)

    return with_add(change)


def protocol(**changes: Any) -> Change:
    return lambda commit: [{"protocol": one["protocol"] | changes} if "protocol" in one else one for one in commit]


def mapping_metadata(field: Action) -> None:
    field["metadata"] = {"delta.columnMapping.id": 7, "delta.columnMapping.physicalName": field["name"]}


def settings(**properties: str) -> Change:
    return with_metadata(lambda one: one.update({"configuration": properties}))


def in_turn(*changes: Change) -> Change:
    def change(commit: list[Action]) -> list[Action]:
        for one in changes:
            commit = [*one(commit)]
        return commit

    return change


def text_of_a_double(statistics: Action) -> None:
    """As XTable and delta-rs write decimals: 12.5 for 12.50 is the same number, 12.4 is not."""
    statistics["maxValues"]["money"] = 12.4


BOUNDS = {"bounds_contain_values": UNSOUND}
MUTATIONS = {
    "a lower bound above the least value": LogMutation(bound("min", "int", 2), BOUNDS, "int"),
    "an upper bound below the greatest value": LogMutation(bound("max", "long", 5), BOUNDS, "long"),
    "a timestamp cut to seconds and without a zone": LogMutation(
        bound("max", "at", "2024-01-01 12:00:00"), BOUNDS, "at"
    ),
    "a timestamp more than a millisecond below the greatest": LogMutation(
        bound("max", "at", "2024-01-01T12:00:00.122Z"), BOUNDS, "at"
    ),
    "a timestamp without a zone cut to seconds": LogMutation(
        bound("max", "local", "2024-01-01 12:00:00"), BOUNDS, "local"
    ),
    "a least timestamp before 1970 rounded up": LogMutation(
        bound("min", "at", "1970-01-01T00:00:00.000Z"), BOUNDS, "at"
    ),
    "milliseconds taken for microseconds": LogMutation(bound("max", "at", "1970-01-20T18:08:24.000Z"), BOUNDS, "at"),
    "a decimal that went through a double": LogMutation(with_statistics(text_of_a_double), BOUNDS, "money"),
    "an unsigned byte": LogMutation(bound("min", "tiny", 128), BOUNDS, "tiny"),
    "a field of a struct": LogMutation(
        with_statistics(lambda one: one["maxValues"]["place"].update({"zip": 0})), BOUNDS, "place.zip"
    ),
    "a text cut without being raised": LogMutation(bound("max", "text", "x" * 32), BOUNDS, "text"),
    "a lower bound far below the least value": LogMutation(
        bound("min", "int", -1000), {"bounds_are_tight": LOOSE}, "int"
    ),
    "a timestamp a second below the least": LogMutation(
        bound("min", "at", "1969-12-31T23:59:58.999Z"), {"bounds_are_tight": LOOSE}, "at"
    ),
    "a text cut to too few characters": LogMutation(bound("max", "text", "y"), {"bounds_are_tight": LOOSE}, "text"),
    "no upper bound": LogMutation(
        with_statistics(lambda one: one["maxValues"].pop("date")), {"bounds_are_present": LOOSE}, "date"
    ),
    "a bound in words": LogMutation(bound("min", "int", "one"), {"bounds_are_of_the_columns_type": UNREADABLE}, "int"),
    "a text bound that is a number": LogMutation(
        bound("max", "text", 5), {"bounds_are_of_the_columns_type": UNREADABLE}, "text"
    ),
    "a day that is none": LogMutation(
        bound("max", "date", "2023-02-30"), {"bounds_are_of_the_columns_type": UNREADABLE}, "date"
    ),
    "a decimal of too many digits": LogMutation(
        bound("max", "money", 12.505), {"bounds_are_of_the_columns_type": UNREADABLE}, "money"
    ),
    "too few rows": LogMutation(
        with_statistics(lambda one: one.update({"numRecords": 2})), {"record_counts_are_exact": UNSOUND}
    ),
    "no row": LogMutation(
        with_statistics(lambda one: one.update({"numRecords": 0})), {"record_counts_are_exact": UNSOUND}
    ),
    "no nulls where there are some": LogMutation(nulls("int", 0), {"null_counts_are_exact": UNSOUND}, "int"),
    "nulls alone where there are values": LogMutation(nulls("int", 3), {"null_counts_are_exact": UNSOUND}, "int"),
    "a null too many": LogMutation(nulls("int", 2), {"null_counts_are_exact": Verdict.COSMETIC}, "int"),
    "a null count of a map by its parts": LogMutation(
        nulls("map", {"_one_field_key": 0}), {"null_counts_are_numbers": UNREADABLE}, "map"
    ),
    "a null count in words": LogMutation(nulls("list", "none"), {"null_counts_are_numbers": UNREADABLE}, "list"),
    "a negative null count": LogMutation(nulls("list", -1), {"null_counts_are_numbers": UNREADABLE}, "list"),
    "a wrong size": LogMutation(
        with_add(lambda add: add.update({"size": add["size"] + 1})), {"sizes_are_exact": Verdict.FAILED_SILENTLY}
    ),
    "a path that is encoded twice": LogMutation(
        path(lambda one: one.replace("part", "p%2541")), {"every_file_exists": UNREADABLE}
    ),
    "a path with a blank": LogMutation(
        path(lambda one: one.replace("%2520", "%20").replace("%20", " ")),
        {"paths_are_uris": UNREADABLE, "every_file_exists": UNREADABLE},
        partitioned_by="text",
    ),
    "statistics that are cut off": LogMutation(
        with_add(lambda add: add.update({"stats": add["stats"][:-3]})),
        {
            "logged_statistics_can_be_read": UNREADABLE,
            "bounds_are_present": LOOSE,
            "null_counts_are_exact": Verdict.COSMETIC,
        },
    ),
    "a partition value of another file": LogMutation(
        values(p="7"), {"tuples_equal_every_row": UNSOUND}, "p", partitioned_by="held number"
    ),
    "no partition value": LogMutation(
        values(p=None), {"tuples_equal_every_row": UNSOUND}, "p", partitioned_by="held number"
    ),
    "a partition value that is no number": LogMutation(
        values(p="one"), {"partition_values_are_of_their_type": UNREADABLE}, "p", partitioned_by="number"
    ),
    "a partition value in microseconds": LogMutation(
        values(p="1672531200123006"), {"partition_values_are_of_their_type": UNREADABLE}, "p", partitioned_by="moment"
    ),
    "a protocol without the type's feature": LogMutation(
        protocol(minReaderVersion=1, readerFeatures=None), {"features_are_in_the_protocol": UNREADABLE}
    ),
    "column mapping without the feature": LogMutation(
        settings(**{"delta.columnMapping.mode": "name"}), {"features_are_in_the_protocol": UNREADABLE}
    ),
    "a deletion vector without the feature": LogMutation(
        in_turn(
            with_add(lambda add: add.update({"deletionVector": inline_vector(1)})),
            with_statistics(lambda one: one.update({"tightBounds": False})),
        ),
        {"features_are_in_the_protocol": UNSOUND},
    ),
    "column mapping without ids": LogMutation(
        in_turn(settings(**{"delta.columnMapping.mode": "name"}), protocol(minReaderVersion=2)),
        {"mapped_columns_have_ids_and_names": UNREADABLE, "features_are_in_the_protocol": UNREADABLE},
    ),
    "two columns of one id": LogMutation(
        in_turn(
            with_schema(mapping_metadata),
            settings(**{"delta.columnMapping.mode": "name"}),
            protocol(readerFeatures=["columnMapping", "timestampNtz"]),
        ),
        {"mapped_columns_have_ids_and_names": UNREADABLE},
    ),
    "ids without column mapping": LogMutation(
        with_schema(mapping_metadata), {"mapped_columns_have_ids_and_names": UNREADABLE}, "tiny"
    ),
}


def make(root: Path, partitioned_by: str) -> None:
    if not partitioned_by:
        write(root, of_every_type())
        return
    write(root, parted(partitioned_by.removeprefix("held ")), partition_by=["p"])
    if partitioned_by.startswith("held"):
        _hold_the_partition_column(root)


def _hold_the_partition_column(root: Path) -> None:
    """As in files of Hudi's, which hold it besides."""
    sizes = {}
    for commit in (root / LOG).glob("*.json"):
        for add in (one["add"] for one in actions(commit) if "add" in one):
            file = root / add["path"].replace("%25", "%")
            held, value = pq.read_table(file, partitioning=None), add["partitionValues"]["p"]
            column = pa.array([None if value is None else int(value)] * held.num_rows, pa.int64())
            pq.write_table(held.append_column("p", column), file)
            sizes[add["path"]] = file.stat().st_size
    rewrite(root, with_add(lambda add: add.update({"size": sizes[add["path"]]})))


@pytest.mark.parametrize("mutation", MUTATIONS.values(), ids=MUTATIONS)
def test_a_wrong_log_fails_the_claim_about_it(mutation: LogMutation, tmp_path: Path) -> None:
    make(tmp_path, mutation.partitioned_by)
    assert failing(case_at(tmp_path)) == {}
    rewrite(tmp_path, mutation.change)
    found = failing(case_at(tmp_path))
    found = {id: one for id, one in found.items() if id not in SKIPPING or id in mutation.breaks}
    verdicts = {id: {one.verdict or CLAIMS[id].breaks for one in each} for id, each in found.items()}
    assert verdicts == {id: {verdict} for id, verdict in mutation.breaks.items()}
    if mutation.column is not None:
        assert {one.column for each in found.values() for one in each} == {mutation.column}


def test_each_claim_of_deltas_own_is_proven() -> None:
    own = {id for id, claim in CLAIMS.items() if claim.of == "delta"}
    assert own - {id for mutation in MUTATIONS.values() for id in mutation.breaks} == set()


def test_a_file_that_is_gone_is_found(tmp_path: Path) -> None:
    write(tmp_path, of_every_type())
    [file] = tmp_path.glob("*.parquet")
    os.remove(file)
    [found] = failing(case_at(tmp_path))["every_file_exists"]
    assert found.expected == "the data file that the log names"


def test_a_finding_speaks_as_delta_does(tmp_path: Path) -> None:
    write(tmp_path, of_every_type())
    rewrite(tmp_path, with_statistics(lambda one: one.update({"numRecords": 2})))
    case = case_at(tmp_path)
    claim = CLAIMS["record_counts_are_exact"].under(case.rules)
    finding = build_finding(claim, case, claim.deviations(case), (Blame.SUITE, "a test"))
    assert finding.sentence == "numRecords is the number of rows of the file"
    assert finding.saw.startswith("numRecords 2 for ")
    assert claim.spec.startswith("Delta protocol, Per-file Statistics: numRecords")
