"""Which tables a run audits, by its options for targets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.provision.catalogue import Catalogue
from lab.provision.plan import AFTER_SPARK, WITHOUT_LOG, Plan
from lab.provision.targets import (
    AFTER_STANDALONE,
    BY_STANDALONE,
    begun_by,
    demand_folders,
    demand_source,
    not_by_command_line,
    writers_of,
)
from lab.subjects.groups import ALL, IN_BATTERY, each_target
from spark_jobs.battery.parquet import FOLDERS
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from tests.whole_runs.run import Audit
from xtable.writer import ICEBERG, ICEBERG_BY_KERNEL, KERNEL, STANDALONE, Writer
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import SubjectId

DELTA = Plan(target="delta")
OLDER = replace(DELTA, xtable="0.3.0")
JAR = replace(DELTA, xtable_jar=Path("a.jar"))


def translators(plan: Plan, dataset: str) -> set[str]:
    ids = map(SubjectId.parse, Catalogue(plan).ids(each_target(ALL)))
    return {id.translator for id in ids if id.dataset == dataset}


@pytest.mark.parametrize(
    ("plan", "writers"),
    [
        (Plan(), (ICEBERG,)),
        (DELTA, (KERNEL,)),
        (Plan(target="all"), (ICEBERG, KERNEL)),
        (replace(DELTA, delta_target_by="standalone"), (STANDALONE,)),
        (replace(DELTA, delta_target_by="all"), (STANDALONE, KERNEL)),
        (OLDER, (STANDALONE,)),
        (replace(OLDER, delta_target_by="all"), (STANDALONE,)),
        (replace(DELTA, upgrade_from="0.3.0"), (STANDALONE,)),
        (replace(DELTA, xtable="0.5.0-SNAPSHOT"), (KERNEL,)),
        (JAR, (STANDALONE,)),
        (replace(DELTA, delta_target_by=AFTER_STANDALONE, upgrade_from="0.3.0"), (KERNEL,)),
        (replace(DELTA, delta_target_by=AFTER_STANDALONE, upgrade_from="0.4.0", xtable="0.4.0"), (KERNEL,)),
    ],
)
def test_a_run_audits_what_its_options_and_its_release_have(plan: Plan, writers: tuple[Writer, ...]) -> None:
    assert writers_of(plan) == writers


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (OLDER, "XTable 0.3.0-incubating does not write Delta by Delta Kernel"),
        (replace(DELTA, upgrade_from="0.2.0-incubating"), "XTable 0.2.0-incubating does not write Delta by"),
        (JAR, "XTable's command line cannot write Delta by Delta Kernel: it passes no properties to a target"),
    ],
    ids=["an older release", "an upgrade from an older release", "a jar"],
)
def test_kernel_is_refused_where_it_cannot_run(plan: Plan, words: str) -> None:
    with pytest.raises(Problem, match=words):
        writers_of(replace(plan, delta_target_by="kernel"))


@pytest.mark.parametrize(
    ("plan", "dataset", "found"),
    [
        (Plan(), "plain_types", {"xtable", "control"}),
        (DELTA, "plain_types", {"delta_by_kernel", "delta_by_control"}),
        (Plan(), "good_layout", {"xtable", "control"}),
        (OLDER, "bad_layout", {"delta_by_standalone", "delta_by_control"}),
        (Plan(target="all"), "good_layout", {"xtable", "control", "delta_by_kernel", "delta_by_control"}),
        (replace(DELTA, delta_target_by="all"), "types_ints_index", {"delta_by_kernel"}),
        (
            replace(DELTA, delta_target_by="all", standalone_tables="all"),
            "types_ints_index",
            {"delta_by_kernel", "delta_by_standalone"},
        ),
        (DELTA, "delta_plain", set()),
        (Plan(target="all"), "native_iceberg", {"native"}),
        (DELTA, "native_iceberg", set()),
        (DELTA, "native_delta", {"native"}),
        (Plan(), "native_delta", set()),
    ],
)
def test_a_source_has_the_targets_that_are_selected(plan: Plan, dataset: str, found: set[str]) -> None:
    assert translators(plan, dataset) == found


COLLECTED = {
    "of Delta": ("delta", "suites/bounds/test_bounds.py", {"delta_by_kernel", "delta_by_control"}),
    "of Iceberg": ("iceberg", "suites/bounds/test_bounds.py", {"xtable", "control"}),
    "of no table": ("delta", "suites/manifests/test_manifests.py", set[str]()),
}


@pytest.mark.parametrize(("target", "suite", "found"), COLLECTED.values(), ids=COLLECTED)
def test_a_run_collects_the_tests_of_its_targets_alone(audit: Audit, target: str, suite: str, found: set[str]) -> None:
    ran = audit(f"--target={target}", "--collect-only", "-q", "-k", "plain_types", suite)
    ids = re.findall(r"\[(plain_types-\w+)", ran.text)
    assert {SubjectId.parse(id).translator for id in ids} == found


def test_every_id_is_known_whatever_is_selected() -> None:
    assert {"plain_types-delta_by_standalone", "plain_types-delta_by_kernel", "plain_types-xtable"} <= {
        *Catalogue(Plan())
    }


def test_a_claim_of_iceberg_alone_has_no_table_in_a_run_of_delta() -> None:
    assert Catalogue(DELTA).ids(IN_BATTERY) == ()


def test_delta_standalone_translates_hudi_tables_alone() -> None:
    assert {(BATTERY | RECIPES)[name].format for name in BY_STANDALONE} == {"HUDI"}


@pytest.mark.parametrize(("by", "first"), [(AFTER_STANDALONE, STANDALONE), ("kernel", KERNEL)])
def test_standalone_begins_where_kernel_comes_after_it(by: str, first: Writer) -> None:
    assert begun_by(replace(DELTA, delta_target_by=by), KERNEL) is first


@pytest.mark.parametrize(("by", "first"), [(AFTER_SPARK, ICEBERG), ("kernel", ICEBERG_BY_KERNEL)])
def test_spark_begins_to_read_where_kernel_comes_after_it(by: str, first: Writer) -> None:
    assert begun_by(Plan(delta_source_by=by), ICEBERG_BY_KERNEL) is first


def test_kernel_after_standalone_needs_the_release_of_the_first_syncs() -> None:
    with pytest.raises(Problem, match="kernel-after-standalone is an upgrade in place: add --upgrade-from"):
        writers_of(replace(DELTA, delta_target_by=AFTER_STANDALONE))


def test_kernel_after_standalone_translates_the_tables_of_standalone() -> None:
    plan = replace(DELTA, delta_target_by=AFTER_STANDALONE, upgrade_from="0.3.0")
    assert translators(plan, "good_layout") == {"delta_by_kernel", "delta_by_control"}
    assert translators(plan, "types_ints_index") == set()


@pytest.mark.parametrize("by", ["spark", "kernel", AFTER_SPARK])
@pytest.mark.parametrize("table", ["delta_plain", "good_layout"], ids=["of Delta", "of Hudi"])
def test_a_named_reader_of_delta_audits_delta_tables_alone(by: str, table: str) -> None:
    id = "xtable" if by == "spark" else "iceberg_by_kernel"
    assert translators(Plan(delta_source_by=by), table) == ({id} if table == "delta_plain" else set())


KERNEL_READS = Plan(delta_source_by="kernel")


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (replace(KERNEL_READS, xtable="0.3.0"), "XTable 0.3.0-incubating does not read Delta by Delta Kernel"),
        (replace(KERNEL_READS, xtable_jar=Path("a.jar")), r"--xtable-jar: there is no file a\.jar"),
        (
            replace(KERNEL_READS, delta_source_by=AFTER_SPARK, xtable_jar=Path("a.jar")),
            "a jar is not audited as one that goes on where Spark began",
        ),
        (replace(KERNEL_READS, upgrade_from="0.4.0"), "--upgrade-from belong together"),
        (
            replace(KERNEL_READS, delta_source_by=AFTER_SPARK),
            "kernel-after-spark and --upgrade-from belong together",
        ),
    ],
    ids=[
        "an older release",
        "no jar",
        "a jar after Spark",
        "an upgrade in place by Kernel alone",
        "after Spark without an upgrade",
    ],
)
def test_kernel_does_not_read_where_it_cannot(plan: Plan, words: str) -> None:
    with pytest.raises(Problem, match=words):
        demand_source(plan)


@pytest.mark.parametrize("plan", [Plan(xtable="0.3.0"), Plan(delta_source_by="spark", xtable="0.2.0"), KERNEL_READS])
def test_what_a_release_has_reads_delta(plan: Plan) -> None:
    demand_source(plan)


OF_FOLDERS = Plan(source_format=WITHOUT_LOG, readers=())


def test_no_run_has_a_folder_of_parquet_files_unless_it_asks_for_them() -> None:
    ids = map(SubjectId.parse, Catalogue(Plan()).ids(each_target(ALL)))
    assert not [id for id in ids if id.dataset in FOLDERS]


def test_a_run_over_folders_of_parquet_files_audits_these_alone() -> None:
    ids = map(SubjectId.parse, Catalogue(OF_FOLDERS).ids(each_target(ALL)))
    assert {(id.dataset, id.translator) for id in ids} == {(name, "xtable") for name in FOLDERS}


@pytest.mark.parametrize(
    ("by", "writers"), {"standalone": [STANDALONE], "kernel": [KERNEL], "all": [STANDALONE, KERNEL]}.items()
)
def test_folders_are_audited_as_delta_by_each_writer_asked_for(by: str, writers: Sequence[Writer]) -> None:
    plan = replace(OF_FOLDERS, target="delta", delta_target_by=by, standalone_tables="all")
    assert set(Catalogue(plan).ids(each_target(ALL))) == {f"{name}-{one.id}" for name in FOLDERS for one in writers}


def test_a_jar_is_asked_for_all_folders_but_those_whose_partition_columns_its_command_line_drops() -> None:
    by_jar = replace(OF_FOLDERS, xtable_jar=Path("a.jar"))
    partitioned = {name for name, table in FOLDERS.items() if table.partition_by}
    assert set(not_by_command_line(by_jar)) == partitioned
    ids = map(SubjectId.parse, Catalogue(by_jar).ids(each_target(ALL)))
    assert {id.dataset for id in ids} == FOLDERS.keys() - partitioned


def test_a_release_is_asked_for_every_table() -> None:
    assert not not_by_command_line(OF_FOLDERS)


def test_the_control_of_a_folder_helps_to_decide_blame() -> None:
    assert {str(Catalogue(OF_FOLDERS)[f"{name}-xtable"].control) for name in FOLDERS} == {
        f"{name}-control" for name in FOLDERS
    }


@pytest.mark.parametrize(
    ("options", "words"),
    {
        "an older release": (
            {"xtable": "0.3.0"},
            "XTable 0.3.0-incubating does not read folders of Parquet files; 0.4",
        ),
        "an upgrade from one": ({"upgrade_from": "0.2.0"}, "XTable 0.2.0-incubating does not read folders of Parquet"),
        "a jar that is none": ({"xtable_jar": Path("a.jar")}, r"--xtable-jar: there is no file a\.jar"),
        "a recorded upgrade": ({"recorded": True, "upgrade_from": "0.4.0"}, "no upgrade in place of their translation"),
        "readers": ({"readers": ("duckdb",)}, "these are on this disk alone; give --readers=none"),
    }.values(),
)
def test_folders_are_not_audited_where_they_cannot_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(Problem, match=words):
        demand_folders(replace(OF_FOLDERS, **options))


@pytest.mark.parametrize(
    "plan",
    [
        OF_FOLDERS,
        replace(OF_FOLDERS, xtable="0.5.0-SNAPSHOT"),
        replace(OF_FOLDERS, recorded=True),
        replace(OF_FOLDERS, target="delta", recorded=True),
        Plan(xtable="0.2.0"),
    ],
)
def test_folders_are_audited_where_the_release_reads_them(plan: Plan) -> None:
    demand_folders(plan)
