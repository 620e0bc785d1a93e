"""What real readers answer to the example of a finding: in the finding, in audit.json and in the scorecard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import jsonschema
import pytest
from rich.cells import cell_len
from rich.console import Console

from fixtures.expect import Expectation
from fixtures.expect_pruning import of_pruning
from fixtures.session import AuditSession
from lab.engines.readers import readers_of
from lab.provision.plan import Plan
from lab.store import moto, objects
from lab.store.running import RunningStore
from lab.subjects.table import Table
from tests.audit import healthy, mutate, runs
from tests.audit.draft import Draft
from tests.audit.mirror import Mirror
from tests.run.conftest import ROOT
from tests.run.tables import table_with
from xtable_audit.claims.readers.pruning import no_matching_file_is_dropped
from xtable_audit.model.finding import Answers, Finding, FindingError
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.planner import JUDGE, PYICEBERG
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.document import Document
from xtable_audit.report.scorecard import print_scorecard

COLUMN = "tpep_pickup_datetime"
READERS = ("pyiceberg", "duckdb", "polars")


class NoProvisioner:
    """A provisioner that has a store and nothing else."""

    def __init__(self, running: RunningStore) -> None:
        self._running = running

    def shared_store(self) -> str:
        return self._running.to_json()

    def publish(self, id: str) -> None:
        """The table is in the store."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AssertionError(f"the provisioner's {name} is not used here")


class OneTable(AuditSession):
    """A session with one table, whose bounds are too narrow in its third file."""

    def __init__(self, readers: tuple[str, ...], provisioner: Any, table: Table) -> None:
        super().__init__(Plan(readers=readers), {}, provisioner)
        self._table = table

    def table(self, id: str) -> Table:
        return self._table


SessionOf = Callable[[tuple[str, ...]], OneTable]


@pytest.fixture(scope="module")
def session_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionOf]:
    mirror = Mirror(tmp_path_factory.mktemp("mirror"))
    made = healthy.controlled(mirror, "good_layout")
    draft = Draft.of(made, tmp_path_factory.mktemp("draft"))
    mutate.lower_upper(draft, 2, COLUMN)
    case = draft.case()
    with moto.start() as running:
        objects.upload(running.store, running.store.key(made.root), draft.mirror.file(made.root))
        table = table_with(
            "good_layout-control", case, made.metadata_location, objects=draft.mirror.objects, prefix="here"
        )
        yield lambda readers: OneTable(readers, NoProvisioner(running), table)


FindingOf = Callable[..., Finding]


@pytest.fixture(scope="module")
def finding_of(session_of: SessionOf) -> FindingOf:
    """`finding_of("judge", readers=("duckdb",))`: what the suite's test raises."""

    name = "suites/selection/test_pruning.py::test_no_matching_file_is_dropped[good_layout-control-judge]"

    def raised(planner: str, readers: tuple[str, ...]) -> Finding:
        item: Any = SimpleNamespace(nodeid=name, user_properties=[])
        session = session_of(readers)
        expected = Expectation(session, session.table(""), item)
        with pytest.raises(FindingError) as caught:
            expected.settle(of_pruning, no_matching_file_is_dropped, planner)
        return caught.value.finding

    return raised


@pytest.fixture(scope="module")
def answered(finding_of: FindingOf) -> Finding:
    return finding_of(JUDGE, READERS)


def test_each_reader_answers_the_example(answered: Finding) -> None:
    """One row by the values; whoever trusts the bounds finds none."""
    assert answered.answers is not None
    assert answered.answers.actual > 0
    assert answered.answers.readers == dict.fromkeys(READERS, 0)


def test_the_finding_shows_the_row(answered: Finding) -> None:
    assert "answers   truth 1 · pyiceberg 0 · duckdb 0 · polars 0" in str(answered)


def test_the_finding_shows_the_query(answered: Finding) -> None:
    assert f"example   WHERE {COLUMN} " in str(answered)
    assert "0 in the files that are kept" in " ".join(str(answered).split())


@pytest.mark.parametrize("planner", [JUDGE, PYICEBERG])
def test_the_impact_counts_predicates(finding_of: FindingOf, planner: str) -> None:
    impact = finding_of(planner, ()).impact
    assert (impact.files, impact.lost) == (1, 1)
    assert 0 < impact.losing < impact.tried


def test_without_readers_there_is_no_row(finding_of: FindingOf) -> None:
    finding = finding_of(JUDGE, ())
    assert (finding.answers, "answers" in str(finding)) == (None, False)


# the report


@pytest.fixture(scope="module")
def document(answered: Finding) -> Document:
    """Two claims that failed over the same query."""
    claims = [
        ClaimResult(
            f"suites/x.py::test_{n}", "it_holds", "it holds", answered.table, None, Outcome.FINDING, 0.1, answered
        )
        for n in (1, 2)
    ]
    return runs.document(*claims)


def test_audit_json_holds_each_query_once(document: Document) -> None:
    [answers] = document.answers
    assert (answers.actual, answers.readers) == (1, dict.fromkeys(READERS, 0))


def test_answers_keep_the_schema(document: Document) -> None:
    schema = json.loads((ROOT / "audit.schema.json").read_text(encoding="utf-8"))
    written = json.loads(document.to_json())
    jsonschema.Draft202012Validator(schema).validate(written)


def test_the_scorecard_shows_wrong_answers(document: Document, tmp_path: Path) -> None:
    lines = _printed(document, tmp_path)
    head = next(n for n, line in enumerate(lines) if line.startswith("wrong answers"))
    assert lines[head + 1].split() == ["table", "and", "condition", "actual", *READERS]
    assert lines[head + 2].split() == ["good_layout-control", "1", "0", "0", "0"]
    assert lines[head + 3].startswith(f"  {COLUMN}")


def test_every_reader_has_its_place_in_a_hundred_columns(answered: Finding, tmp_path: Path) -> None:
    """All eight of a format, a long name, and letters of two columns."""
    readers = dict.fromkeys(readers_of("iceberg"), 12_345) | {"daft": "no ids", "trino": None}
    wide = Answers("t" * 40, "s = '" + "😀" * 40 + "'", 1, readers)
    claim = ClaimResult("x", "it_holds", "it holds", "t", None, Outcome.FINDING, 0.1, replace(answered, answers=wide))
    lines = _printed(runs.document(claim), tmp_path)
    row = next(line for line in lines if line.startswith("ttt"))
    assert row.split()[1:] == ["1", *["12,345"] * 4, "✗", "12,345", "-", "12,345"]
    assert max(map(cell_len, lines)) <= 100


def _printed(document: Document, folder: Path) -> list[str]:
    with (folder / "card.txt").open("w+") as file:
        print_scorecard(Console(file=file, width=100), document)
        file.seek(0)
        return file.read().splitlines()


def test_the_worst_query_comes_first(answered: Finding) -> None:
    assert answered.answers is not None
    right = replace(answered, answers=replace(answered.answers, predicate="a = 1", readers={"duckdb": 1, "polars": 0}))
    claims = [
        ClaimResult("suites/x.py::test_y", "it_holds", "it holds", "t", None, Outcome.FINDING, 0.1, one)
        for one in (right, answered)
    ]
    found = runs.document(*claims).answers
    assert [one.predicate for one in found] == [answered.answers.predicate, "a = 1"]
