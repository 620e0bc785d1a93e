"""What a manifest says of itself: what is no fault of its header, and what strangers may write there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.audit.conftest import DraftOf
from tests.audit.draft import Draft, Record, change_header, header_of
from xtable_audit.formats.iceberg.claims.manifests import headers_are_those_of_the_table
from xtable_audit.formats.iceberg.manifest_header import columns_of


def told(draft: Draft, name: str, value: Any) -> Draft:
    """With this value in the header of the first manifest."""
    change_header(draft.mirror.file(draft.manifest_of(0)), {name: json.dumps(value)})
    return draft


def header(draft: Draft, name: str) -> Any:
    return json.loads(header_of(draft.mirror.file(draft.manifest_of(0)))[name])


def with_a_variant(of_table: Record) -> Record:
    fields = [one | {"type": "variant"} if one["name"] == "int" else one for one in of_table["fields"]]
    return of_table | {"fields": fields}


def test_a_type_that_is_not_known_here_is_no_other(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    draft.change_metadata(lambda metadata: metadata.update(schemas=[*map(with_a_variant, metadata["schemas"])]))
    told(draft, "schema", with_a_variant(header(draft, "schema")))
    assert headers_are_those_of_the_table.deviations(draft.case()) == []


def test_docs_and_blanks_make_no_other_schema() -> None:
    plain = {"id": 1, "name": "d", "required": False, "type": "decimal(9,2)"}
    assert columns_of([plain]) == columns_of([plain | {"doc": "money", "type": "decimal(9, 2)", "required": True}])


def test_a_whole_spec_is_as_good_as_its_fields(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    told(draft, "partition-spec", {"spec-id": 1, "fields": header(draft, "partition-spec")})
    assert headers_are_those_of_the_table.deviations(draft.case()) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("partition-spec", [{"source-id": ["a"], "transform": {"b": 1}}]),
        ("partition-spec", [7]),
        ("partition-spec", None),
        ("schema", {"schema-id": {"a": 1}, "fields": [{"id": [1], "name": None, "type": []}]}),
        ("schema", {"fields": [7, "word"]}),
        ("schema", []),
    ],
)
def test_what_a_stranger_writes_there_is_judged(draft_of: DraftOf, name: str, value: Any) -> None:
    draft = told(draft_of("typed"), name, value)
    assert headers_are_those_of_the_table.lacks(draft.case()) is None
    assert all(one.whole for one in headers_are_those_of_the_table.deviations(draft.case()))
