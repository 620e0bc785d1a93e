"""A table that cannot be read ends in the reader's own words, in one line, and never in an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from lab.store import objects
from lab.store.workspace import Workspace
from xtable_audit.model.predicate import Compare
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation, Reader

MARCH = Compare("month", "=", "2023-03")


def watch(reader: Reader, tables: Any, metadata: str) -> Observation:
    log = tables.store.guest(f"reader-{reader.name}").log
    [seen] = observe(reader, log, metadata, [MARCH], tables.native.data)
    return seen


def is_reported_in_one_line(seen: Observation) -> bool:
    return seen.rows is None and bool(seen.error) and "\n" not in str(seen.error)


@contextmanager
def cut_in_half(store: Workspace, key: str) -> Iterator[None]:
    """The object, truncated for the while and then put right."""
    whole = objects.read(store, key)
    objects.write(store, key, whole[: len(whole) // 2])
    try:
        yield
    finally:
        objects.write(store, key, whole)


def one_of(tables: Any, ending: str, beginning: str = "") -> str:
    """The key of the native table's only metadata file of that kind."""
    store = tables.store.store
    folder = store.key(tables.native.metadata).rpartition("/")[0]
    names = [key for key in objects.list_objects(store, folder) if key.endswith(ending)]
    (key,) = [name for name in names if name.rpartition("/")[2].startswith(beginning)]
    return key


@pytest.mark.parametrize("file", ["metadata.json", "manifest list", "manifest"])
def test_a_truncated_file_of_the_metadata_is_an_error(reader: Reader, tables: Any, file: str) -> None:
    store = tables.store.store
    keys: dict[str, Callable[[], str]] = {
        "metadata.json": lambda: store.key(tables.native.metadata),
        "manifest list": lambda: one_of(tables, ".avro", "snap-"),
        "manifest": lambda: one_of(tables, "-m0.avro"),
    }
    key = keys[file]()
    with cut_in_half(store, key):
        assert is_reported_in_one_line(watch(reader, tables, tables.native.metadata))


def test_a_data_file_cut_short_is_an_error(reader: Reader, tables: Any) -> None:
    (march,) = [key for key in tables.native.data if "month=2023-03" in key]
    with cut_in_half(tables.store.store, march):
        assert is_reported_in_one_line(watch(reader, tables, tables.native.metadata))


@pytest.mark.parametrize("file", ["-m0.avro", ".parquet"], ids=["manifest", "data file"])
def test_after_a_failure_the_next_question_is_answered(reader: Reader, tables: Any, file: str) -> None:
    key = one_of(tables, file) if file == "-m0.avro" else tables.native.data[2]
    with cut_in_half(tables.store.store, key):
        watch(reader, tables, tables.native.metadata)
    seen = watch(reader, tables, tables.native.metadata)
    assert (seen.rows, seen.read, seen.error) == (50, frozenset({tables.native.data[2]}), None)


def test_a_missing_metadata_json_is_an_error(reader: Reader, tables: Any) -> None:
    assert is_reported_in_one_line(watch(reader, tables, missing(tables)))


def test_the_stores_secret_is_in_no_error(reader: Reader, tables: Any) -> None:
    assert tables.store.store.secret_key not in str(watch(reader, tables, missing(tables)).error)


def missing(tables: Any) -> str:
    absent: str = tables.native.metadata.replace("metadata/0", "metadata/9")
    return absent
