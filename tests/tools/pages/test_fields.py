"""The map of fields is complete, and true as far as code can tell; its page equals it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.manifest import DATA_FILE_TYPE, MANIFEST_ENTRY_SCHEMAS, MANIFEST_LIST_FILE_SCHEMAS
from pyiceberg.types import NestedField

from tests.of_each import of_each
from tests.xtable_audit.claims.test_mutations import FAULTS
from tools.pages.fields import IN_JSON, NAMES, PAGE, TYPES, FieldHolder, links, page, places
from xtable_audit.claims.every_claim import EVERY_CLAIM
from xtable_audit.formats.iceberg.manifest_fields import OF_LIST, OF_MANIFEST
from xtable_audit.model.claim import claims_about
from xtable_audit.model.rules import SECTIONS
from xtable_audit.subject.case import Case

SPECIFIED: Mapping[str, Mapping[str, int | None]] = json.loads(
    (Path(__file__).parent / "spec_fields.json").read_text(encoding="utf-8")
)
"""The tables of the Iceberg specification, versions 1 to 3, as they stood on 2026-08-21 (7f879b11): name and id of each
field. Where a version drops a field, it is there all the same.
"""
BY_TITLE = {place.title: place for place in places()}
OF_OTHERS = {"Delta's log: add action", "Hudi's column statistics"}
"""Of other specifications."""
each_place = of_each("place", places(), ids=lambda place: place.title)
LAYOUT = {"files_do_not_overlap", "every_file_holds_one_value_of_its_own"}
"""About where rows are, which no field says."""
OF_ROWS_OR_SYNCS = {"rows", "history", "states"}
"""Families about the table as a whole, after one sync or after several."""


def test_the_map_has_the_structs_of_the_specification() -> None:
    assert set(BY_TITLE) == set(SPECIFIED) | OF_OTHERS


@of_each("title", SPECIFIED)
def test_the_map_has_every_field_of_the_specification_once(title: str) -> None:
    assert sorted(field.name for field in BY_TITLE[title].fields) == sorted(SPECIFIED[title])


@of_each("title", IN_JSON)
def test_the_judge_reads_no_field_that_is_not_in_the_specification(title: str) -> None:
    assert IN_JSON[title] - set(SPECIFIED[title]) == set()


def _named(fields: Iterator[NestedField]) -> dict[str, int]:
    return {field.name: field.field_id for field in fields}


@pytest.mark.parametrize(
    ("title", "known"),
    [
        ("Manifest list", _named(f for one in MANIFEST_LIST_FILE_SCHEMAS.values() for f in one.fields)),
        ("Entry of a manifest", _named(f for one in MANIFEST_ENTRY_SCHEMAS.values() for f in one.fields)),
        ("Data file", _named(f for one in DATA_FILE_TYPE.values() for f in one.fields)),
    ],
)
def test_fields_and_ids_are_those_of_pyiceberg(title: str, known: Mapping[str, int]) -> None:
    """A second witness for the list of the specification."""
    assert {name: SPECIFIED[title].get(name) for name in known} == known


@pytest.mark.parametrize("title", ["Manifest list", "Partition summary", "Entry of a manifest", "Data file"])
def test_ids_that_the_judge_demands_are_those_of_the_specification(title: str) -> None:
    ids: Mapping[str, Any] = OF_LIST if title in ("Manifest list", "Partition summary") else OF_MANIFEST
    assert {name: ids[name] for name in SPECIFIED[title] if name in ids} == {
        name: id for name, id in SPECIFIED[title].items() if name in ids
    }


@each_place
def test_it_says_who_reads_a_field(place: FieldHolder) -> None:
    assert not [field.name for field in place.fields if not field.read]


@each_place
def test_a_field_is_judged_or_it_says_why_not(place: FieldHolder) -> None:
    judged = [field for field in place.fields if field.claims or place.has_its_type_judged(field)]
    assert not [field.name for field in place.fields if field not in judged and not field.open]


@each_place
def test_claims_and_code_are_there(place: FieldHolder) -> None:
    assert {claim for field in place.fields for claim in field.claims} <= {*EVERY_CLAIM}
    assert {name for field in place.fields for name in field.code} <= {*links()}


NAMED = {TYPES, NAMES, *(id for place in places() for field in place.fields for id in field.claims)}


def test_each_claim_that_it_names_is_proven_by_a_mutation() -> None:
    proven = {id for fault in FAULTS for id in fault.breaks}
    assert not [id for id in NAMED if EVERY_CLAIM[id].about is Case and id not in proven]


def test_each_claim_about_metadata_judges_a_field() -> None:
    others = {id for id in claims_about(Case) if EVERY_CLAIM[id].family not in OF_ROWS_OR_SYNCS} - NAMED
    assert others == LAYOUT


def test_no_link_is_left_over() -> None:
    assert set(links()) == {name for place in places() for field in place.fields for name in field.code}


@each_place
def test_its_section_is_known(place: FieldHolder) -> None:
    assert place.section in SECTIONS


def test_the_page_is_that_of_the_map() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tools pages.fields`, and commit docs/"
