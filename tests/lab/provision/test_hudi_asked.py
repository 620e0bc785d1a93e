"""`--target hudi`: which tables a run has, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fixtures.options import selected_readers
from lab.provision.catalogue import Catalogue
from lab.provision.plan import ON_REQUEST, PAIMON, SMALL_TABLES, Plan
from lab.provision.targets import TO_HUDI, writers_of
from lab.subjects.groups import ALL, IN_HUDI, each_target
from tests.whole_runs.run import Audit
from xtable.writer import HUDI
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import SubjectId

ASKED = Plan(target="hudi", readers=())


def datasets(plan: Plan) -> set[str]:
    ids = map(SubjectId.parse, Catalogue(plan).ids(each_target(ALL)))
    return {id.dataset for id in ids if id.translator == HUDI.id}


@pytest.mark.parametrize("plan", [Plan(), Plan(target="delta"), Plan(target="all"), Plan(source_format=PAIMON)])
def test_no_run_translates_to_hudi_unless_it_asks_for_it(plan: Plan) -> None:
    assert datasets(plan) == set()
    assert Catalogue(plan).ids(IN_HUDI) == ()


def test_a_run_to_hudi_audits_its_selection_alone() -> None:
    ids = [SubjectId.parse(id) for id in Catalogue(ASKED).ids(each_target(ALL))]
    assert {(id.translator, id.target) for id in ids} == {("hudi_by_xtable", "hudi")}
    by_source = {format: datasets(replace(ASKED, source_format=format)) for format in ("auto", *ON_REQUEST)}
    assert set().union(*by_source.values()) == TO_HUDI
    assert all(by_source.values())


def test_every_selected_table_is_one_that_is_written() -> None:
    assert SMALL_TABLES.keys() >= TO_HUDI
    assert {SMALL_TABLES[name].format for name in TO_HUDI} == {"DELTA", "PARQUET", "PAIMON", "ICEBERG_SOURCE"}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a jar": ({"xtable_jar": Path("a.jar")}, "what a jar writes as Hudi is not audited"),
    "an upgrade in place": ({"upgrade_from": "0.3.0"}, "an upgrade in place of a Hudi target is not audited"),
    "Delta Kernel": ({"delta_source_by": "kernel"}, "to Hudi, Delta tables are read by Spark alone"),
}


@pytest.mark.parametrize(("options", "words"), REFUSED.values(), ids=REFUSED)
def test_what_a_run_to_hudi_cannot_do_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(Problem, match=words):
        writers_of(replace(ASKED, **options))


def test_the_readers_of_hudi_tables_are_asked_on_request_alone() -> None:
    assert selected_readers(None, [""], [HUDI.target]) == ()
    assert selected_readers("all", [""], [HUDI.target]) == ("spark_hudi", "spark_hudi_unskipped")
    assert selected_readers(None, ["delta_micros and spark_hudi"], [HUDI.target]) == ("spark_hudi",)


def test_a_reader_of_other_tables_is_refused() -> None:
    with pytest.raises(pytest.UsageError, match="duckdb opens Iceberg tables alone"):
        selected_readers("duckdb", [""], [HUDI.target])


@pytest.mark.parametrize(("readers", "asked"), [("none", 0), ("all", 22)])
def test_each_table_is_asked_with_skipping_and_without(audit: Audit, readers: str, asked: int) -> None:
    ran = audit("--target=hudi", f"--readers={readers}", "--collect-only", "-q", "suites/hudi/test_readers.py")
    tests = [line for line in ran.text.splitlines() if "test_reader_shows_the_rows_of_the_source[" in line]
    assert len(tests) == asked, ran.text
    assert sum("-spark_hudi_unskipped-" in one for one in tests) == asked / 2


def test_what_is_refused_is_one_sentence(audit: Audit) -> None:
    ran = audit("suites/bounds", "--target=hudi", "--upgrade-from=0.3.0")
    assert (ran.status, "Traceback" in ran.text) == (4, False), ran.text
    assert "an upgrade in place of a Hudi target is not audited; audit one release." in " ".join(ran.text.split())
