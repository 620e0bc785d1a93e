"""What a run does not judge, it says why, and once; and what a run of all tables says of those it is not asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import pytest

from fixtures.expect import Expectation
from fixtures.results import ReportedFacts
from fixtures.session import AuditSession
from lab.provision.catalogue import FURTHER, ONCE_MORE, Catalogue, not_asked_for
from lab.provision.plan import ON_REQUEST, Plan
from lab.subjects.groups import ALL, each_target
from spark_jobs.battery.parquet import FOLDERS
from tests.run.tables import table_with
from xtable_audit.judge import judge
from xtable_audit.model.claim import Claim, Need
from xtable_audit.model.finding import Verdict
from xtable_audit.model.problem import Problem
from xtable_audit.model.result import SetAside
from xtable_audit.model.subject_id import DELTA, HUDI, ICEBERG
from xtable_audit.pytest_plugin.holding import settle
from xtable_audit.report.document import SetAsideRow

ASIDE = (SetAside("values of type variant are not judged", column="v"), SetAside("not read", path="s3://b/1.orc"))
NEEDS = {
    "not applicable: the claim needs a float column$": Need[str]("a float column", len),
    "inconclusive: the claim needs a request log$": Need[str]("a request log", len, of_run=True),
    "inconclusive: the claim needs a plan: its JSON is cut$": Need[str](
        "a plan", len, why=lambda subject: "its JSON is cut", of_run=True
    ),
}


def reported(case: object, tests: int) -> list[SetAsideRow]:
    table = table_with("t-xtable", cast("Any", case), "")
    results = ReportedFacts()
    for _ in range(tests):
        item = SimpleNamespace(user_properties=[])
        Expectation(cast("AuditSession", None), table, cast("pytest.Item", item))
        report = SimpleNamespace(when="call", outcome="passed", user_properties=item.user_properties)
        results.take(cast("pytest.TestReport", report))
    return list(results.set_aside)


def check(subject: str) -> Iterator[object]:
    yield from ()


def no_finding(*_: object) -> NoReturn:
    raise AssertionError("nothing deviates")


# What a table's claims do not judge is reported once, whichever tests check the table.


def test_each_part_that_is_set_aside_is_reported_once() -> None:
    case = SimpleNamespace(stored=SimpleNamespace(set_aside=ASIDE), removed=())
    assert reported(case, tests=2) == [
        SetAsideRow("t-xtable", "v", None, "values of type variant are not judged"),
        SetAsideRow("t-xtable", None, "s3://b/1.orc", "not read"),
    ]


def test_a_table_that_cannot_be_read_has_nothing_set_aside() -> None:
    assert reported(None, tests=1) == []


# A claim that lacks something is skipped with the reason: inconclusive where the run lacks it, else not applicable.


@pytest.mark.parametrize(("words", "need"), NEEDS.items(), ids=["the table", "the run", "the run, with a reason"])
def test_what_is_lacking_is_named(words: str, need: Need[str]) -> None:
    claim = Claim("c", "f", "it holds", "spec", Verdict.LOOSE, (need,), check, str)
    with pytest.raises(pytest.skip.Exception, match=words):
        settle(judge(claim, "", no_finding))
    settle(judge(claim, "a subject that has it", no_finding))


# what a run of all tables says of those that it is not asked for


USUAL = Plan()
ALL_TABLES = Catalogue(USUAL).ids(each_target(ALL))


def test_a_run_of_all_tables_names_the_options_that_have_more() -> None:
    words = not_asked_for(USUAL, ALL_TABLES, 600)
    assert f"--source-format=parquet ({len(FOLDERS)} tables)" in words
    assert "--source-format=iceberg --target=delta (" in words


def test_these_options_together_have_every_table_of_every_source_and_target() -> None:
    """But for what only upgrades in place, jars or other programs have."""
    again = [{**options, **ONCE_MORE} for options in FURTHER if options.get("target") == DELTA]
    formats, targets = ("auto", *ON_REQUEST), (ICEBERG, DELTA, HUDI)
    every = [
        {"source_format": source, "target": target, "delta_source_by": reader, **by}
        for source, target, reader, by in product(formats, targets, ("auto", "kernel"), ({}, ONCE_MORE))
    ]
    audited: set[str] = set()
    for options in every:
        with suppress(Problem):  # a pair that is not audited
            audited |= tables_of(options)
    assert tables_of({}, *FURTHER, *again) == audited


def tables_of(*sets: Mapping[str, Any]) -> set[str]:
    plans = [replace(USUAL, readers=(), **options) for options in sets]
    return {one for plan in plans for one in Catalogue(plan).ids(each_target(ALL))}


def test_each_of_these_options_has_tables_that_no_other_has() -> None:
    apart = [tables_of(options) - tables_of({}) for options in FURTHER]
    assert all(apart)
    assert sum(map(len, apart)) == len(set().union(*apart))


def test_the_time_is_at_the_pace_of_the_run() -> None:
    took = [not_asked_for(USUAL, ALL_TABLES, seconds).rpartition("about ")[2] for seconds in (600, 6000)]
    slower, faster = (int(words.partition(" min.")[0]) for words in reversed(took))
    assert slower == pytest.approx(10 * faster, abs=5)


def test_a_run_of_some_tables_names_none() -> None:
    assert not not_asked_for(USUAL, ALL_TABLES[1:], 600)


@pytest.mark.parametrize("options", [*FURTHER, {"upgrade_from": "0.2.0"}, {"xtable_jar": Path("a.jar")}], ids=str)
def test_a_run_that_asks_for_other_tables_names_none(options: dict[str, Any]) -> None:
    assert not not_asked_for(replace(USUAL, readers=(), **options), ALL_TABLES, 600)
