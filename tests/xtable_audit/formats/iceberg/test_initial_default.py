"""A column that is added with an initial default has that value in older files (Iceberg spec, Default values).

PyIceberg writes no table of version 3, so a healthy table's metadata is changed. `tests/other_writers` has one
by Iceberg.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from pyiceberg.conversions import to_bytes
from pyiceberg.types import LongType

from tests.tables.draft import Draft, Record
from tests.tables.typed import ROWS
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.conftest import DraftOf, broken
from tests.xtable_audit.formats.iceberg.test_set_aside import TYPES, retype
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.predicate import Compare, IsNull, Predicate
from xtable_audit.planning.selection import judge_selections
from xtable_audit.scan import live_files
from xtable_audit.subject.table_rows import read_rows

ID, PLACE = 900, 1
FIVE = {"id": ID, "name": "added", "required": False, "type": "long", "initial-default": 5, "write-default": 7}


def of_version_3(metadata: Record) -> None:
    metadata |= {"format-version": 3, "next-row-id": 0}


def add(draft: Draft, field: Record, parent: str | None = None) -> Draft:
    def change(metadata: Record) -> None:
        of_version_3(metadata)
        for schema in metadata["schemas"]:
            fields = schema["fields"]
            if parent is not None:
                fields = next(one for one in fields if one["name"] == parent)["type"]["fields"]
            fields.append(field)
        metadata["last-column-id"] = max(metadata["last-column-id"], field["id"])

    draft.change_metadata(change)
    draft.headers_follow()
    draft.values_changed = True
    return draft


@pytest.fixture
def draft(draft_of: DraftOf) -> Draft:
    return add(draft_of("typed"), FIVE)


def seen(draft: Draft, column: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = draft.case().actual.columns[column].to_pylist()
    return found[PLACE]


DEFAULTS: dict[str, tuple[Any, Any]] = {
    "boolean": (True, True),
    "int": (5, 5),
    "long": (5, 5),
    "float": (0.5, 0.5),
    "double": (0.5, 0.5),
    "decimal(9, 2)": ("14.20", Decimal("14.20")),
    "date": ("2024-02-29", dt.date(2024, 2, 29)),
    "time": ("22:31:08.123456", dt.time(22, 31, 8, 123456)),
    "timestamp": ("2024-02-29T01:02:03.000004", dt.datetime(2024, 2, 29, 1, 2, 3, 4)),
    "timestamptz": ("2024-02-29T01:02:03.000004+00:00", dt.datetime(2024, 2, 29, 1, 2, 3, 4, dt.UTC)),
    "string": ("five", "five"),
    "uuid": ("f79c3e09-677c-4bbd-a479-3f349cb785e7", UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7").bytes),
    "binary": ("00ff", b"\x00\xff"),
    "fixed[2]": ("00ff", b"\x00\xff"),
}


@pytest.mark.parametrize(("kind", "default", "value"), [(kind, *told) for kind, told in DEFAULTS.items()], ids=DEFAULTS)
def test_a_column_that_a_file_lacks_has_its_default(draft_of: DraftOf, kind: str, default: Any, value: Any) -> None:
    draft = add(draft_of("typed"), FIVE | {"type": kind, "initial-default": default, "write-default": None})
    found = seen(draft, "added")
    assert (found["min"], found["max"], found["null_count"], found["value_count"]) == (value, value, 0, ROWS)


def test_a_column_without_a_default_is_null(draft_of: DraftOf) -> None:
    draft = add(draft_of("typed"), FIVE | {"initial-default": None})
    assert (seen(draft, "added")["min"], seen(draft, "added")["null_count"]) == (None, ROWS)


ASKED = [
    (Compare("added", "=", 5), 3 * ROWS),
    (Compare("added", "=", 7), 0),
    (IsNull("added"), 0),
    (IsNull("added", negated=True), 3 * ROWS),
]


@pytest.mark.parametrize(("predicate", "rows"), ASKED, ids=lambda one: str(one))
def test_predicates_match_the_default(draft: Draft, predicate: Predicate, rows: int) -> None:
    [found] = judge_selections(draft.mirror.objects, draft.case(), [predicate])
    assert found.rows_returned == rows


def test_rows_have_the_default(draft: Draft) -> None:
    stored = draft.case().stored
    values = read_rows(draft.mirror.objects, stored, live_files(draft.mirror.objects, stored)).values
    assert values["added"].to_pylist() == [5] * 3 * ROWS


def test_a_default_inside_a_struct_holds_where_the_struct_is_present(draft_of: DraftOf) -> None:
    """`place` is null in one row of each file."""
    draft = add(draft_of("typed"), FIVE, parent="place")
    found, stored = seen(draft, "place.added"), draft.case().stored
    assert (found["min"], found["max"], found["null_count"]) == (5, 5, 1)
    values = read_rows(draft.mirror.objects, stored, live_files(draft.mirror.objects, stored)).values
    inside = [None if place is None else place["added"] for place in values["place"].to_pylist()]
    assert (inside.count(5), inside.count(None)) == (3 * ROWS - 3, 3)


def test_a_default_inside_a_struct_that_a_file_lacks_is_null(draft_of: DraftOf) -> None:
    struct = {"id": 901, "name": "more", "required": False, "type": {"type": "struct", "fields": [FIVE]}}
    assert seen(add(draft_of("typed"), struct), "more.added")["null_count"] == ROWS


def test_a_column_that_a_later_spec_partitions_by_has_its_default_in_files_of_older_specs(draft: Draft) -> None:
    """Only files of that spec have a partition value, which stands for the column."""
    field = {"source-id": ID, "field-id": 1001, "name": "added", "transform": "identity"}

    def partition(metadata: Record) -> None:
        metadata["partition-specs"].append({"spec-id": 2, "fields": [field]})
        metadata |= {"default-spec-id": 2, "last-partition-id": 1001}

    draft.change_metadata(partition)
    assert (seen(draft, "added")["min"], seen(draft, "added")["null_count"]) == (5, 0)


@pytest.mark.parametrize("parent", [None, "place"], ids=["a column", "inside a struct"])
def test_absent_metrics_of_an_added_column_break_no_claim(draft_of: DraftOf, parent: str | None) -> None:
    assert broken(add(draft_of("typed"), FIVE, parent)) == set()


def test_a_required_column_with_a_default_holds_no_null(draft_of: DraftOf) -> None:
    assert broken(add(draft_of("typed"), FIVE | {"required": True})) == set()


def test_a_required_column_without_a_default_is_found(draft_of: DraftOf) -> None:
    field = FIVE | {"required": True, "initial-default": None}
    assert broken(add(draft_of("typed"), field)) == {"required_columns_have_no_nulls"}


def tell(draft: Draft, name: str, value: Any) -> None:
    draft.change_file(PLACE, lambda file: file[name].append({"key": ID, "value": value}))


BOUNDS = {"its default": (5, set()), "less": (4, {"bounds_are_tight"}), "more": (6, {"bounds_contain_values"})}


@pytest.mark.parametrize(("bound", "breaks"), BOUNDS.values(), ids=BOUNDS)
def test_a_stored_bound_is_compared_with_the_default(draft: Draft, bound: int, breaks: set[str]) -> None:
    tell(draft, "lower_bounds", to_bytes(LongType(), bound))
    assert breaks <= broken(draft)
    assert bool(breaks) == bool(broken(draft) & {"bounds_are_tight", "bounds_contain_values"})


@pytest.mark.parametrize("nulls", [0, ROWS])
def test_a_stored_null_count_is_compared_with_the_default(draft: Draft, nulls: int) -> None:
    tell(draft, "null_value_counts", nulls)
    assert ("null_counts_are_exact" in broken(draft)) == (nulls != 0)


# what the judge does not know of version 3


NESTED_DEFAULTS: dict[str, tuple[Any, Any]] = {
    "struct": ({"type": "struct", "fields": [FIVE]}, {}),
    "list": ({"type": "list", "element-id": 902, "element": "long", "element-required": False}, [1]),
}


@pytest.mark.parametrize(("kind", "default"), NESTED_DEFAULTS.values(), ids=NESTED_DEFAULTS)
def test_a_nested_default_sets_its_column_aside(draft_of: DraftOf, kind: Any, default: Any) -> None:
    field = {"id": 901, "name": "more", "required": False, "type": kind, "initial-default": default}
    draft = add(draft_of("typed"), field | {"write-default": default})
    assert [str(one) for one in draft.case().stored.set_aside] == [
        f"more: values of type {kind['type']} with an initial default are not judged"
    ]
    mutate.raise_lower(draft, PLACE, "int")
    assert "bounds_contain_values" in broken(draft)


def test_a_default_of_another_type_is_malformed(draft_of: DraftOf) -> None:
    draft = add(draft_of("typed"), FIVE | {"initial-default": "five"})
    with pytest.raises(Malformed, match="is not Iceberg table metadata"):
        draft.case()


@pytest.mark.parametrize("kind", TYPES)
def test_a_type_of_version_3_is_set_aside_and_the_rest_is_judged(draft_of: DraftOf, kind: str) -> None:
    draft = draft_of("typed")
    draft.change_metadata(of_version_3)
    retype(draft, "long", kind)
    assert [one.column for one in draft.case().stored.set_aside] == ["long"]
    assert broken(draft) == set()
    mutate.raise_lower(draft, PLACE, "int")
    assert "bounds_contain_values" in broken(draft)
