"""Bounds and null counts of a file with a deletion vector are judged by the rows that it leaves, tight or wide."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.xtable_audit.formats.delta.tables import (
    Action,
    case_at,
    failing,
    inline_vector,
    judged,
    newest,
    rewrite,
    with_add,
    with_features,
    write,
)
from xtable_audit.formats.delta.claims import CLAIMS
from xtable_audit.model.finding import Verdict
from xtable_audit.model.malformed import Malformed

ROWS = pa.table({"id": [1, 2, 3, 9], "price": [1.5, None, 7.0, None], "empty": pa.array([5, None, None, None])})
DELETED = (0, 3)
OF_ALL: Action = {
    "numRecords": 4,
    "minValues": {"id": 1, "price": 1.5, "empty": 5},
    "maxValues": {"id": 9, "price": 7.0, "empty": 5},
    "nullCount": {"id": 0, "price": 2, "empty": 3},
}
LEFT: Action = {
    "numRecords": 4,
    "minValues": {"id": 2, "price": 7.0},
    "maxValues": {"id": 3, "price": 7.0},
    "nullCount": {"id": 0, "price": 1, "empty": 2},
}
"""Of the rows with the ids 2 and 3."""
COMPARED = {
    *("bounds_contain_values", "bounds_are_tight", "bounds_are_present", "points_skip_what_exact_bounds_would"),
    *("record_counts_are_exact", "null_counts_are_exact"),
}
UNSOUND, LOOSE, COSMETIC = Verdict.UNSOUND, Verdict.LOOSE, Verdict.COSMETIC


def said(of: Action, *, tight: bool | None = None, **changed: Action | int) -> Action:
    """Statistics as they are `of` some rows, with values of columns changed; None takes one away."""
    flag = {} if tight is None else {"tightBounds": tight}
    new = {name: of[name] | value if isinstance(value, dict) else value for name, value in changed.items()}
    return of | flag | new


def table(root: Path, statistics: Action, *deleted: int) -> Path:
    """A file with these statistics, and another without a vector: columns then differ from file to file."""
    write(root, ROWS)

    def change(add: Action) -> None:
        add.update(stats=json.dumps(statistics), deletionVector=inline_vector(*deleted))

    rewrite(root, with_add(change))
    rewrite(root, lambda commit: with_features(commit, "deletionVectors"))
    write(root, ROWS)
    return root


HEALTHY: dict[str, Action] = {
    "tight": said(LEFT, tight=True),
    "tight, as nothing says": said(LEFT),
    "wide, as they were before the delete": said(OF_ALL, tight=False),
    "wide, though they are of the rows that are left": said(LEFT, tight=False),
    "wide, with the null count of a column without values": said(OF_ALL, tight=False, nullCount={"empty": 4}),
    "wide, without null counts": said(OF_ALL, tight=False, nullCount={"id": None, "price": None, "empty": None}),
}


@pytest.mark.parametrize("statistics", HEALTHY.values(), ids=HEALTHY)
def test_healthy_statistics_raise_no_finding(tmp_path: Path, statistics: Action) -> None:
    found = judged(case_at(table(tmp_path, statistics, *DELETED)))
    assert found.keys() >= COMPARED
    assert {id: one for id, one in found.items() if one} == {}


@pytest.mark.parametrize("tight", [True, False])
def test_a_vector_may_remove_every_row(tmp_path: Path, *, tight: bool) -> None:
    nothing = {"numRecords": 4, "nullCount": {"id": 0, "price": 0, "empty": 0}} if tight else said(OF_ALL, tight=False)
    assert failing(case_at(table(tmp_path, nothing, *range(4)))) == {}


Broken = tuple[Action, dict[str, Verdict], str | None]
BROKEN: dict[str, Broken] = {
    "a tight bound that excludes a row that is left": (
        said(LEFT, tight=True, minValues={"id": 3}),
        {"bounds_contain_values": UNSOUND},
        "id",
    ),
    "a tight bound of a deleted row": (
        said(LEFT, tight=True, maxValues={"id": 9}),
        {"bounds_are_tight": LOOSE, "points_skip_what_exact_bounds_would": LOOSE},
        "id",
    ),
    "no tight bound": (
        said(LEFT, tight=True, minValues={"price": None}),
        {"bounds_are_present": LOOSE, "points_skip_what_exact_bounds_would": LOOSE},
        "price",
    ),
    "a tight null count of all rows": (
        said(LEFT, tight=True, nullCount={"price": 2}),
        {"null_counts_are_exact": COSMETIC},
        "price",
    ),
    "a tight null count of none, though one is left": (
        said(LEFT, tight=True, nullCount={"price": 0}),
        {"null_counts_are_exact": UNSOUND},
        "price",
    ),
    "a tight null count of all rows of the file, though a value is left": (
        said(LEFT, tight=True, nullCount={"id": 4}),
        {"null_counts_are_exact": UNSOUND},
        "id",
    ),
    "a wide lower bound that excludes a row that is left": (
        said(OF_ALL, tight=False, minValues={"id": 3}),
        {"bounds_contain_values": UNSOUND},
        "id",
    ),
    "a wide upper bound that excludes a row that is left": (
        said(OF_ALL, tight=False, maxValues={"price": 6.5}),
        {"bounds_contain_values": UNSOUND},
        "price",
    ),
    "a wide null count of none, though one is left": (
        said(OF_ALL, tight=False, nullCount={"price": 0}),
        {"null_counts_are_exact": UNSOUND},
        "price",
    ),
    "a wide null count of all, though a value is left": (
        said(OF_ALL, tight=False, nullCount={"price": 4}),
        {"null_counts_are_exact": UNSOUND},
        "price",
    ),
    "the rows that are left for those of the file": (
        said(LEFT, tight=True, numRecords=2),
        {"record_counts_are_exact": UNSOUND},
        None,
    ),
}


@pytest.mark.parametrize(("statistics", "breaks", "column"), BROKEN.values(), ids=BROKEN)
def test_false_statistics_fail_the_claim_about_them(
    tmp_path: Path, statistics: Action, breaks: dict[str, Verdict], column: str | None
) -> None:
    found = failing(case_at(table(tmp_path, statistics, *DELETED)))
    verdicts = {id: {one.verdict or CLAIMS[id].breaks for one in each} for id, each in found.items()}
    assert verdicts == {id: {verdict} for id, verdict in breaks.items()}
    assert {one.column for each in found.values() for one in each} == {column}


def test_the_same_bounds_are_true_or_loose_by_the_vector(tmp_path: Path) -> None:
    """The actual values are of the rows that are left."""
    exact = {name: table(tmp_path / name, said(LEFT, tight=True), *rows) for name, rows in VECTORS.items()}
    assert {name: "bounds_are_tight" in failing(case_at(root)) for name, root in exact.items()} == {
        "these rows": False,
        "a row more": True,
    }


VECTORS = {"these rows": DELETED, "a row more": (0, 1, 3)}


def test_null_counts_that_say_nothing_are_said_not_to_be_compared(tmp_path: Path) -> None:
    aside = case_at(table(tmp_path, said(OF_ALL, tight=False), *DELETED)).stored.set_aside
    assert {one.column for one in aside} == {"price", "empty"}
    assert all(one.reason.startswith("null counts of 1 file with wide bounds are not compared") for one in aside)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a file that is gone": (
        {"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^", "offset": 1, "sizeInBytes": 40},
        "is named by the metadata but does not exist",
    ),
    "no bitmap": (inline_vector(1) | {"sizeInBytes": 8}, "holds a broken deletion vector"),
}


@pytest.mark.parametrize(("vector", "words"), BAD.values(), ids=BAD)
def test_a_file_whose_vector_cannot_be_read_cannot_be_read(tmp_path: Path, vector: Action, words: str) -> None:
    write(tmp_path, ROWS)
    rewrite(tmp_path, with_add(lambda add: add.update({"deletionVector": vector | {"cardinality": 1}})))
    with pytest.raises(Malformed, match=words) as error:
        case_at(tmp_path)
    assert error.value.location.endswith(".parquet")


@pytest.mark.parametrize(
    "vector", [{"storageType": "u", "pathOrInlineDv": "short"}, inline_vector(1) | {"pathOrInlineDv": "~"}]
)
def test_a_log_with_a_vector_that_is_not_deltas_cannot_be_read(tmp_path: Path, vector: Action) -> None:
    write(tmp_path, ROWS)
    rewrite(tmp_path, with_add(lambda add: add.update({"deletionVector": vector})))
    with pytest.raises(Malformed, match="has a deletion vector that is not Delta's") as error:
        case_at(tmp_path)
    assert error.value.location == newest(tmp_path)
