"""Iceberg's Java refuses what the strict reading of metadata.json finds, and reads everything else."""

from __future__ import annotations

import json

import pytest

from tests.kept import kept
from tests.other_writers import parse_job
from tests.xtable_audit.formats.iceberg.mistyped import HALF_NEW, HEALTHY, LEGAL, VERSION_3, Json, changed, mistyped

pytestmark = [pytest.mark.spark, pytest.mark.slow]

CURRENT = VERSION_3["current-snapshot-id"]
LENIENT = ("snapshot-log: ", "metadata-log: ")
"""Java takes a log that is no list for an empty one; PyIceberg refuses it."""
Parsed = dict[str, str | int]


@pytest.fixture(scope="module")
def parsed() -> Parsed:
    """What Java makes of each metadata.json, by words of what is wrong with it."""
    texts = {version: json.dumps(table) for version, table in HEALTHY.items()}
    for version, table in HEALTHY.items():
        texts |= {f"{version}, {words}": json.dumps(one) for words, one in mistyped(table)}
    texts |= {words: json.dumps(changed(VERSION_3, path, value)) for words, (path, value) in LEGAL.items()}
    texts |= {"half new": json.dumps(HALF_NEW)}
    texts |= {"snapshot twice": twice(VERSION_3, "current-snapshot-id", 1 << 62)}
    _, said = kept(parse_job.parse, parse_job.JOB, texts=tuple(texts.values()))
    return dict(zip(texts, said, strict=True))


def twice(table: Json, name: str, first: object) -> str:
    """The same name once more, at the beginning, with this value."""
    return json.dumps({name: first})[:-1] + ", " + json.dumps(table)[1:]


@pytest.mark.parametrize("healthy", [*HEALTHY, *LEGAL])
def test_java_reads_what_is_legal(parsed: Parsed, healthy: str) -> None:
    assert parsed[healthy] == CURRENT


def test_java_asks_which_schema_of_a_list_is_the_current_one(parsed: Parsed) -> None:
    assert "Cannot parse missing int: current-schema-id" in str(parsed["half new"])


def test_java_refuses_each_field_of_another_type_and_each_that_is_missing(parsed: Parsed) -> None:
    wrong = [words for words in parsed if ", " in words]
    assert len(wrong) > 1000
    read = [words for words in wrong if parsed[words] == CURRENT]
    assert [words for words in read if not words.partition(", ")[2].startswith(LENIENT)] == []


def test_of_two_current_snapshots_java_takes_the_last(parsed: Parsed) -> None:
    assert parsed["snapshot twice"] == CURRENT
