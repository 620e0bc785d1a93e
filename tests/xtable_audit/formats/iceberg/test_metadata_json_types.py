"""The strict reading of metadata.json: each specified field of each wrong type is found, and nothing else is."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest

from tests.xtable_audit.formats.iceberg.mistyped import (
    HALF_NEW,
    HEALTHY,
    LEGAL,
    NO_VALUE,
    VERSION_3,
    Json,
    Path,
    changed,
    mistyped,
)
from xtable_audit.formats.iceberg.metadata_json_types import MOST, AsWritten, Names, as_written


def read(text: str) -> AsWritten:
    names = Names()
    return as_written(json.loads(text, object_pairs_hook=names), names)


def misfit(table: Json) -> list[tuple[str, str]]:
    return [(one.saw, one.expected) for one in read(json.dumps(table)).misfits]


@pytest.mark.parametrize("version", HEALTHY)
def test_a_healthy_metadata_json_has_no_misfit(version: str) -> None:
    found = read(json.dumps(HEALTHY[version]))
    assert (found.misfits, found.repeated, found.values > 100) == ((), (), True)


@pytest.mark.parametrize("version", HEALTHY)
def test_a_field_of_a_wrong_type_and_one_that_is_not_there_is_one_misfit(version: str) -> None:
    tried = dict(mistyped(HEALTHY[version]))
    assert len(tried) > 500
    assert {words: len(misfit(table)) for words, table in tried.items()} == dict.fromkeys(tried, 1)


UNJUDGED: dict[str, tuple[Path, Any]] = {
    "a default of another type": (("schemas", 0, "fields", 0, "initial-default"), 7.5),
    "several source columns": (
        ("partition-specs", 0, "fields", 0),
        {"source-ids": [1, 2], "field-id": 1000, "name": "id", "transform": "zorder"},
    ),
}
"""Iceberg 1.9.2 refuses the first, and the second, which format version 3 allows."""


@pytest.mark.parametrize(("path", "value"), (LEGAL | UNJUDGED).values(), ids=LEGAL | UNJUDGED)
def test_what_readers_take_is_no_misfit(path: Path, value: Any) -> None:
    assert misfit(changed(VERSION_3, path, value)) == []


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("snapshots", 1, "timestamp-ms"), 1.0, ("snapshots[1].timestamp-ms: 1.0", "a long: ")),
        (("snapshots", 0, "summary"), [], ("snapshots[0].summary: a list", "an object")),
        (
            ("schemas", 0, "fields", 1, "type", "element"),
            7,
            ("schemas[0].fields[1].type.element: 7", "a string, or an"),
        ),
        (("next-row-id",), NO_VALUE, ("no next-row-id", "a long: ")),
        (("location",), 10**300, ("location: 1000", "a string")),
        (("properties", "s3.secret-access-key"), 1234567, ("properties.s3.secret-access-key: ***", "a string")),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_misfit_says_where_it_stands_and_what_it_should_be(path: Path, value: Any, words: tuple[str, str]) -> None:
    [(saw, expected)] = misfit(changed(VERSION_3, path, value))
    assert (saw.startswith(words[0]), expected.startswith(words[1]), len(saw) < 300) == (True, True, True)


def test_a_list_of_schemas_in_format_version_1_says_which_is_the_current_one() -> None:
    assert misfit(HALF_NEW)[0][0] == "no current-schema-id"


@pytest.mark.parametrize(
    ("twice", "found"),
    [
        ('"current-snapshot-id": 1, "current-snapshot-id": 2', ("current-snapshot-id", 2, True)),
        ('"current-snapshot-id": 1, "current-snapshot-id": 1', ("current-snapshot-id", 2, False)),
        ('"last-column-id": 1, "last-column-id": true', ("last-column-id", 2, True)),
        ('"comment": 1, "comment": 2, "comment": 3', ("comment", 3, False)),
        ('"comment": {"a": 1, "a": 2}', ("a", 2, False)),
        ('"properties": {"a": "1", "a": "2"}', ("properties.a", 2, True)),
        ('"snapshots": [{}, {"snapshot-id": 1, "snapshot-id": 2}]', ("snapshots[1].snapshot-id", 2, True)),
    ],
)
def test_a_name_that_stands_twice_is_found_where_it_stands(twice: str, found: tuple[str, int, bool]) -> None:
    [one] = read("{" + twice + "}").repeated
    assert (one.place, one.times, one.differ) == found


def test_of_a_million_faults_a_few_are_kept() -> None:
    numbers = ",".join(["7"] * 100_000)
    names = ",".join(['{"a":1,"a":2}'] * 10_000)
    found = read(f'{{"snapshots":[{numbers}],"schemas":[{names}]}}')
    assert len(found.misfits) < 2 * MOST
    assert len(found.repeated) == MOST


def columns(number: int) -> str:
    column = '{"id": 1, "name": "a", "required": false, "type": "int"}'
    return json.dumps(VERSION_3 | {"schemas": []}).replace(
        '"schemas": []', f'"schemas": [{{"type": "struct", "fields": [{",".join([column] * number)}]}}]'
    )


def seconds(text: str) -> float:
    began = process_time()
    assert read(text).misfits == ()
    return process_time() - began


def test_time_grows_with_the_text_and_no_faster() -> None:
    assert seconds(columns(100_000)) < 40 * seconds(columns(10_000))
