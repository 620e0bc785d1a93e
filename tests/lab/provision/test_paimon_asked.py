"""`--source-format paimon`: which tables a run has, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.provision.catalogue import Catalogue
from lab.provision.plan import PAIMON, WITHOUT_LOG, Plan
from lab.provision.targets import demand_paimon
from lab.subjects.groups import ALL, each_target
from spark_jobs.battery.paimon import PAIMON_TABLES
from tests.whole_runs.run import Audit
from tests.whole_runs.test_exit_status import nowhere
from xtable.writer import KERNEL
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import SubjectId

ASKED = Plan(source_format=PAIMON)


@pytest.mark.parametrize("plan", [Plan(), Plan(target="all"), Plan(source_format=WITHOUT_LOG, readers=())])
def test_no_run_has_a_paimon_table_unless_it_asks_for_them(plan: Plan) -> None:
    ids = map(SubjectId.parse, Catalogue(plan).ids(each_target(ALL)))
    assert not [id for id in ids if id.dataset in PAIMON_TABLES]


def test_a_run_over_paimon_tables_audits_these_alone() -> None:
    ids = map(SubjectId.parse, Catalogue(ASKED).ids(each_target(ALL)))
    assert {(id.dataset, id.translator) for id in ids} == {(name, "xtable") for name in PAIMON_TABLES}


def test_a_run_to_delta_has_each_table_by_its_writer() -> None:
    ids = map(SubjectId.parse, Catalogue(replace(ASKED, target="delta")).ids(each_target(ALL)))
    assert {(id.dataset, id.translator) for id in ids} == {(name, KERNEL.id) for name in PAIMON_TABLES}


@pytest.mark.parametrize(
    ("options", "words"),
    {
        "an older release": ({"xtable": "0.3.0"}, "XTable 0.3.0-incubating does not read Paimon tables; 0.4.0 is the"),
        "an upgrade from one": ({"upgrade_from": "0.2.0"}, "XTable 0.2.0-incubating does not read Paimon tables"),
        "a jar": ({"xtable_jar": Path("a.jar")}, "a jar runs on its own classes alone"),
        "a recorded upgrade": ({"recorded": True, "upgrade_from": "0.4.0"}, "no upgrade in place of their translation"),
        "the newest one": ({"xtable": "recorded", "upgrade_from": "0.4.0"}, "no upgrade in place of their translation"),
        "every target": ({"target": "all"}, "they are audited to one target at a time"),
    }.values(),
)
def test_paimon_tables_are_not_audited_where_they_cannot_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(Problem, match=words):
        demand_paimon(replace(ASKED, **options))


@pytest.mark.parametrize(
    "plan",
    [
        ASKED,
        replace(ASKED, xtable="0.5.0-SNAPSHOT"),
        replace(ASKED, recorded=True),
        replace(ASKED, upgrade_from="0.4.0"),
        replace(ASKED, target="delta"),
        replace(ASKED, target="delta", recorded=True),
        replace(ASKED, target="delta", recorded=True, delta_target_by="standalone", standalone_tables="all"),
        Plan(xtable="0.2.0"),
    ],
)
def test_paimon_tables_are_audited_where_the_release_reads_them(plan: Plan) -> None:
    demand_paimon(plan)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--xtable=0.3.0"], "--source-format paimon: XTable 0.3.0-incubating does not read Paimon tables; 0.4.0 is"),
        (
            ["--recorded", "--upgrade-from=0.4.0"],
            "--source-format paimon: no upgrade in place of their translation is recorded; run XTable live.",
        ),
    ],
    ids=["an older release", "a recorded upgrade"],
)
def test_what_is_refused_is_one_sentence(audit: Audit, arguments: list[str], sentence: str) -> None:
    ran = audit("suites/bounds", "--source-format=paimon", *arguments, recorded=False)
    assert (ran.status, ran.document, "Traceback" in ran.text) == (4, {}, False), ran.text
    assert sentence in " ".join(ran.text.split()), ran.text


def test_the_recording_is_replayed_where_no_release_resolves(audit: Audit, tmp_path: Path) -> None:
    """It needs Paimon's library for Python no more than XTable."""
    options = ("suites/bounds", "--source-format=paimon", "-k", "paimon_plain")
    ran = audit(*options, recorded=False, environment=nowhere(tmp_path))
    assert (ran.status, ran.document["translation"]["mode"]) == (0, "recorded"), ran.text
    assert "no release resolves here" in ran.text
