"""The healthy tables, built once a session in a bucket on local disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.tables import healthy, healthy_by_pyiceberg, healthy_deletes
from tests.tables.draft import Draft, Fault
from tests.tables.healthy import Table
from tests.tables.mirror import Mirror
from xtable_audit.claims import CLAIMS
from xtable_audit.model.subject_id import NATIVE, SubjectId
from xtable_audit.subject.case import Case

TableOf = Callable[[str], Table]
DraftOf = Callable[[str], Draft]
SpoiltOf = Callable[[Fault], tuple[Draft, Case]]


OF_DELETES: Mapping[str, Callable[[Table], Table]] = {
    healthy_deletes.DELETED: healthy_deletes.deleted,
    healthy_deletes.VECTORS: healthy_deletes.with_vectors,
    healthy_deletes.COUNTED: healthy_deletes.counted,
}
PROOF = "test_fault_raises_its_claims_and_no_others"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many mutations were tried, and how many were reported as exactly what they are."""
    caught, missed = (
        sum(report.when == "call" and PROOF in report.nodeid for report in terminalreporter.stats.get(outcome, ()))
        for outcome in ("passed", "failed")
    )
    if caught or missed:
        terminalreporter.write_line(
            f"mutations: {caught + missed} tried, {caught} caught and reported as what they are"
        )


@pytest.fixture(scope="session")
def table_of(tmp_path_factory: pytest.TempPathFactory) -> TableOf:
    """A healthy table by its id."""
    mirror = Mirror(tmp_path_factory.mktemp("mirror"))

    @cache
    def build(id: str) -> Table:
        if id == "typed":
            return _completed(healthy.typed(mirror))
        if id in OF_DELETES:
            return OF_DELETES[id](_completed(healthy.typed(mirror, id)))
        if id == "spread":
            return healthy_by_pyiceberg.spread(mirror)
        if id == "history":
            return _completed(healthy_by_pyiceberg.history(mirror))
        if id in ("shown", "keyed"):
            return _completed(healthy.shown(mirror, id, keyed=id == "keyed"))
        subject = SubjectId.parse(id)
        if subject.translator == "control":
            return healthy.controlled(mirror, subject.dataset)
        release = None if subject.translator == NATIVE else subject.translator
        return _sorted(healthy.recorded(mirror, subject.dataset, release))

    return build


@pytest.fixture
def draft_of(table_of: TableOf, tmp_path: Path) -> DraftOf:
    """A copy of a healthy table, to be spoilt; another one with each call."""
    numbers = count()
    return lambda id: Draft.of(table_of(id), tmp_path / f"draft{next(numbers)}")


@pytest.fixture(scope="session")
def spoilt_of(table_of: TableOf, tmp_path_factory: pytest.TempPathFactory) -> SpoiltOf:
    """The healthy table with this one fault, built once, and the case against it: to be read, and spoilt no further."""

    @cache
    def build(fault: Fault) -> tuple[Draft, Case]:
        draft = Draft.of(table_of(fault.table), tmp_path_factory.mktemp("spoilt"))
        fault.spoil(draft)
        return draft, draft.case()

    return build


def _sorted(table: Table) -> Table:
    """With its entries in the order of their paths: a writer's changes from run to run, and a fault names a place."""
    draft = Draft(table, table.mirror)
    for place in range(len(table.case.stored.paths)):
        draft.change_entries(place, lambda entries: entries.sort(key=lambda entry: entry["data_file"]["file_path"]))
    return replace(table)


def _completed(table: Table) -> Table:
    """With what PyIceberg leaves out: bounds of columns inside structs, and NaN counts."""
    draft = Draft(table, table.mirror)
    actual = table.case.actual.columns
    for place in range(len(table.case.stored.paths)):
        for column in ("place.city", "place.zip"):
            draft.put(place, "lower_bounds", column, actual[column]["min"][place].as_py())
            draft.put(place, "upper_bounds", column, actual[column]["max"][place].as_py())
        for column in ("float", "double", "nan", "zeros"):
            draft.put(place, "nan_value_counts", column, actual[column]["nan_count"][place].as_py())
    return replace(table)


def broken(draft: Draft) -> set[str]:
    """The claims that fail."""
    case = draft.case()
    return {id for id, claim in CLAIMS.items() if claim.deviations(case)}
