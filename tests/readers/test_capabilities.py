"""Every reader can do what its adapter says of it, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from lab.engines.readers import find
from lab.store import objects
from xtable_audit.model.predicate import Compare
from xtable_audit.readers.adapter import Capabilities
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Reader

MARCH = Compare("month", "=", "2023-03")


def test_a_reader_reports_of_its_plan_what_its_adapter_says(reader: Reader, tables: Any) -> None:
    answer = reader.query(tables.native.metadata, MARCH)
    planned = "names" if answer.planned is not None else "count" if answer.planned_count is not None else None
    able = find(reader.name).capabilities
    assert (answer.live is not None, planned, answer.scanned is not None) == (able.live, able.planned, able.scanned)


def test_a_reader_wants_its_metadata_in_a_folder_where_its_adapter_says(reader: Reader, tables: Any) -> None:
    store = tables.store.store
    key = store.key(tables.native.metadata)
    elsewhere = key.replace("/metadata/", "/elsewhere/")
    objects.write(store, elsewhere, objects.read(store, key))
    [seen] = observe(reader, None, store.uri(elsewhere), [MARCH], ())
    assert (seen.error is not None) == find(reader.name).capabilities.needs_metadata_folder, seen.error


WORDS = {
    "reports nothing": Capabilities(),
    "reports nothing; pyiceberg plans for it": Capabilities(planner="pyiceberg"),
    "reports the planned files by name": Capabilities(planned="names"),
    "reports the number of live files, the number of planned files, the rows scanned": Capabilities(
        live=True, planned="count", scanned=True
    ),
}


@pytest.mark.parametrize(("words", "able"), WORDS.items(), ids=WORDS.keys())
def test_capabilities_are_listed_in_words(words: str, able: Capabilities) -> None:
    assert able.plan == words
