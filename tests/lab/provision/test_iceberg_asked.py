"""`--source-format iceberg`: which tables a run has, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.provision.catalogue import Catalogue
from lab.provision.live_or_recorded import decide
from lab.provision.plan import DELTA_RS, PAIMON, WITHOUT_LOG, Plan
from lab.provision.sources.every_source import writer_here
from lab.provision.targets import demand_iceberg
from lab.stack.jars import Unresolvable
from lab.stack.versions import releases
from lab.subjects.groups import ALL, each_target
from spark_jobs.battery.iceberg_source import ICEBERG_TABLES
from tests.whole_runs.run import Audit
from tests.whole_runs.test_exit_status import nowhere
from xtable.bundled import dataset_yaml
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import DELTA, HUDI, ICEBERG, SubjectId

ASKED = Plan(source_format=ICEBERG, target=DELTA)
STANDALONE = replace(ASKED, delta_target_by="standalone", standalone_tables="all")


@pytest.mark.parametrize(
    "plan",
    [
        *(Plan(), Plan(target="all"), Plan(target=DELTA), Plan(source_format=WITHOUT_LOG, readers=())),
        *(Plan(source_format=PAIMON), Plan(source_format=DELTA_RS)),
    ],
)
def test_no_run_has_an_iceberg_table_as_source_unless_it_asks_for_them(plan: Plan) -> None:
    ids = map(SubjectId.parse, Catalogue(plan).ids(each_target(ALL)))
    assert not [id for id in ids if id.dataset in ICEBERG_TABLES]


@pytest.mark.parametrize(
    ("plan", "by"), [(ASKED, "delta_by_kernel"), (STANDALONE, "delta_by_standalone")], ids=["kernel", "standalone"]
)
def test_a_run_over_iceberg_tables_audits_these_alone(plan: Plan, by: str) -> None:
    ids = map(SubjectId.parse, Catalogue(plan).ids(each_target(ALL)))
    assert {(id.dataset, id.translator) for id in ids} == {(name, by) for name in ICEBERG_TABLES}


@pytest.mark.parametrize(
    ("options", "words"),
    {
        "to Iceberg": (
            {"target": ICEBERG},
            "Iceberg tables are translated to Delta and Hudi alone; add --target=delta.",
        ),
        "to all": ({"target": "all"}, "Iceberg tables are translated to Delta and Hudi alone; add --target=delta."),
        "an upgrade in place": (
            {"recorded": True, "upgrade_from": "0.2.0"},
            "no upgrade in place of their translation is recorded; run XTable live.",
        ),
    }.values(),
)
def test_iceberg_tables_are_not_audited_where_they_cannot_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(Problem, match=words):
        demand_iceberg(replace(ASKED, **options))


@pytest.mark.parametrize(
    "plan",
    [
        *(
            ASKED,
            STANDALONE,
            replace(ASKED, xtable="0.2.0"),
            replace(ASKED, xtable_jar=Path("a.jar")),
            replace(ASKED, target=HUDI),
            Plan(recorded=True),
        ),
        *(replace(ASKED, recorded=True), replace(STANDALONE, xtable="recorded")),
    ],
)
def test_iceberg_tables_are_audited_by_each_release_and_on_recordings(plan: Plan) -> None:
    demand_iceberg(plan)


@pytest.mark.parametrize("plan", [ASKED, STANDALONE], ids=["kernel", "standalone"])
@pytest.mark.parametrize("version", ["auto", "0.4.0"])
def test_what_is_recorded_is_of_the_newest_release(plan: Plan, version: str) -> None:
    choice = decide(replace(plan, recorded=True, xtable=version))
    assert (choice.mode, choice.release) == ("recorded", releases()[0].version)
    assert choice.recorded_on is not None


def test_a_release_that_is_not_recorded_is_named() -> None:
    with pytest.raises(Unresolvable, match=r"no recording of XTable 0\.2\.0-incubating; there is of: 0\.4\.0"):
        decide(replace(STANDALONE, recorded=True, xtable="0.2.0"))


def test_a_table_is_written_for_the_bucket_of_the_run(tmp_path: Path) -> None:
    """Its metadata names files by their addresses."""
    write = writer_here(ICEBERG_TABLES["iceberg_by_int"], "lake")
    assert write is not None
    write(ICEBERG_TABLES["iceberg_by_int"], tmp_path)
    text = (tmp_path / "1" / "metadata" / "v1.metadata.json").read_text(encoding="utf-8")
    assert '"s3://lake/tables/iceberg_by_int"' in text


def test_xtable_knows_the_format_by_its_own_name() -> None:
    assert '"sourceFormat": "ICEBERG"' in dataset_yaml("ICEBERG_SOURCE", "/lake/t", "t", "p:day", DELTA)


def test_another_target_is_refused_in_one_sentence(audit: Audit) -> None:
    ran = audit("suites/bounds", "--source-format=iceberg", recorded=False)
    assert (ran.status, ran.document, "Traceback" in ran.text) == (4, {}, False), ran.text
    words = "--source-format iceberg: Iceberg tables are translated to Delta and Hudi alone; add --target=delta."
    assert words in " ".join(ran.text.split()), ran.text


def test_where_no_release_resolves_recordings_are_judged(audit: Audit, tmp_path: Path) -> None:
    options = ("suites/bounds", "--source-format=iceberg", "--target=delta", "--readers=none", "-k", "iceberg_by_int")
    ran = audit(*options, recorded=False, environment=nowhere(tmp_path))
    assert (ran.status, "REPLAY OF" in ran.text) == (0, True), ran.text
    assert {claim.get("table") for claim in ran.document["claims"]} == {"iceberg_by_int-delta_by_kernel"}
