"""What is said of a translation to Delta: each condition on a table that has it and on one that lacks it, and words."""

from __future__ import annotations

import json

import pytest

from tests.of_each import of_each
from tools.pages.affected import recorded, recorded_sources
from xtable_audit.affected.affected import Affected, Certainty, affected
from xtable_audit.affected.releases import covered, release_of
from xtable_audit.cli.main import run as run
from xtable_audit.formats.configuration import Configuration, parse_spec
from xtable_audit.formats.named_source import read_source
from xtable_audit.model.subject_id import DELTA, ICEBERG, TARGETS
from xtable_audit.register.bundled import bundled_register, path_of_register

KERNEL, STANDALONE = "Delta Kernel", "Delta Standalone"
MEETS, MAY_MEET = Certainty.MEETS, Certainty.MAY_MEET
KNOWN = covered(path_of_register())
HAS_IT: dict[str, tuple[str, Certainty, str, str]] = {
    "XTF-012": ("types_nulls_groups", MEETS, "", "nulls alone in a row group and zero beyond the bounds of others: "),
    "XTF-023": ("partition_date_value", MEETS, "", "dt, a date, as VALUE"),
    "XTF-033": ("types_decimal_bytes_plain", MAY_MEET, KERNEL, "a decimal that a double rounds to more digits"),
    "XTF-069": ("history_widen_int", MAY_MEET, KERNEL, "changed: x"),
    "XTF-070": ("partition_by_day", MEETS, KERNEL, "partitionSpec has ts:DAY"),
    "XTF-071": ("partition_special", MEETS, "", "paths such as "),
    "XTF-072": ("types_times_plain", MEETS, KERNEL, "a bound before 1970 within a second: at"),
    "XTF-073": ("partition_in_struct", MEETS, "", "partitionSpec has st.level"),
    "XTF-074": ("partition_by_day", MEETS, STANDALONE, "an upper bound that has milliseconds: ts"),
    "XTF-075": ("types_lists_plain", MEETS, STANDALONE, "map: kv"),
}
LACKS_IT = {
    "XTF-012": "types_nulls_plain",
    "XTF-023": "partition_day_of_string",
    "XTF-033": "types_decimal_index",
    "XTF-069": "history_upsert",
    "XTF-070": "partition_null",
    "XTF-071": "partition_null",
    "XTF-072": "types_millis_plain",
    "XTF-073": "partition_by_day",
    "XTF-074": "types_millis_plain",
    "XTF-075": "types_nested_plain",
}
"""Tables of the same kind, without that one thing."""


def source(table: str) -> str:
    return f"hudi:{recorded_sources() / table}"


def found(table: str, target: str = DELTA, spec: str = "") -> dict[str, Affected]:
    """What is said of a table of the battery, by id; with its own partitionSpec unless another is given."""
    read = read_source(source(table), Configuration(parse_spec(spec or recorded()[table].partition_spec)))
    return {one.id: one for one in affected(read, KNOWN[-1].to(target), bundled_register())}


@of_each("id", HAS_IT)
def test_a_table_with_the_condition_is_affected(id: str) -> None:
    table, certainty, writer, because = HAS_IT[id]
    one = found(table)[id]
    assert (one.certainty, one.writer) == (certainty, writer)
    assert one.because[0].startswith(because)


@of_each("id", HAS_IT)
def test_a_table_without_the_condition_is_not(id: str) -> None:
    assert id not in found(LACKS_IT[id])


def test_what_writes_delta_alone_is_not_said_of_iceberg() -> None:
    alone = {entry.id for entry in bundled_register() if entry.targets == {DELTA}}
    said = {id for table, *_ in HAS_IT.values() for id in found(table, ICEBERG)}
    assert {*HAS_IT} - {"XTF-012", "XTF-023", "XTF-033"} <= alone
    assert not alone & said


def test_what_only_iceberg_has_is_not_said_of_delta() -> None:
    assert "XTF-018" in found("partition_encoded", ICEBERG)
    assert "XTF-018" not in found("partition_encoded")


def test_what_xtable_reads_wrongly_is_said_of_both_and_names_no_writer() -> None:
    assert [found("types_millis_plain", target)["XTF-004"].writer for target in TARGETS] == ["", ""]


def test_what_fails_kernels_syncs_alone_hides_nothing_of_standalone() -> None:
    said = found("partition_by_day")
    assert (said["XTF-070"].certainty, said["XTF-070"].writer) == (MEETS, KERNEL)
    assert (said["XTF-074"].certainty, said["XTF-074"].writer) == (MEETS, STANDALONE)


def test_other_findings_are_behind_a_sync_that_fails_by_either_writer() -> None:
    said = found("history_upsert", spec="st.part:VALUE")
    assert said["XTF-073"].certainty is MEETS
    behind = [one.unseen for id, one in said.items() if id != "XTF-073"]
    assert behind
    assert all(unseen.endswith("syncs come through, which XTF-073 prevents") for unseen in behind)


@pytest.mark.parametrize(
    ("release", "writers"),
    [("0.2.0", {STANDALONE}), ("0.3.0", {STANDALONE}), ("0.4.0", {STANDALONE, KERNEL}), ("main", {STANDALONE, KERNEL})],
)
def test_a_release_without_kernel_has_what_standalone_writes(release: str, writers: set[str]) -> None:
    read = read_source(source("types_times_plain"))
    said = affected(read, release_of(release, KNOWN).to(DELTA), bundled_register())
    assert {one.writer for one in said if one.id in ("XTF-072", "XTF-074")} == writers


def told(capsys: pytest.CaptureFixture[str], table: str, *options: str) -> list[str]:
    run(["affected", "--source", source(table), *options])
    return capsys.readouterr().out.splitlines()


def test_the_answer_names_the_target_and_the_writer(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(capsys, "partition_special", "--target", "delta")
    assert "XTable 0.4.0, to Delta" in lines
    assert "MEETS  XTF-071  fails silently (FAILED_SILENTLY)" in lines
    assert "A finding that names one of them is of that alone, and one that names none is of both." in " ".join(lines)
    lines = told(capsys, "types_times_plain", "--target", "delta")
    assert [line for line in lines if line.startswith("  by  ")] == [
        "  by       Delta Kernel alone (xtable.delta.target.use_kernel=true)",
        "  by       Delta Standalone alone",
    ]


def test_iceberg_is_the_target_unless_another_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(capsys, "types_millis_plain")
    assert "XTable 0.4.0" in lines
    assert told(capsys, "types_millis_plain", "--target", "iceberg") == lines
    assert told(capsys, "types_millis_plain", "--target", "delta") != lines


def test_all_targets_are_one_answer_after_another(capsys: pytest.CaptureFixture[str]) -> None:
    of_delta = told(capsys, "types_times_plain", "--target", "delta")
    both = told(capsys, "types_times_plain", "--target", "all")
    assert "XTable 0.4.0, to Iceberg" in both[: -len(of_delta)]
    assert both[-len(of_delta) :] == of_delta


@pytest.mark.parametrize(("target", "status"), [("iceberg", 0), ("delta", 1), ("all", 1)])
def test_a_finding_of_any_target_fails_the_command(target: str, status: int) -> None:
    assert run(["affected", "--source", source("types_times_plain"), "--target", target]) == status


def test_json_has_the_target_and_the_writer_where_more_than_iceberg_is_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = json.loads("\n".join(told(capsys, "types_times_plain", "--target", "all", "--json")))
    assert answer["target"] == "all"
    assert [(one["id"], one["target"], one["writer"]) for one in answer["findings"]] == [
        ("XTF-072", DELTA, KERNEL),
        ("XTF-074", DELTA, STANDALONE),
    ]
    plain = json.loads("\n".join(told(capsys, "types_millis_plain", "--json")))
    assert {"target", "writer"}.isdisjoint({*plain, *plain["findings"][0]})


def test_what_unread_footers_would_decide_is_not_said_to_be_so(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(capsys, "types_decimal_index", "--target", "delta", "--footers", "0")
    unread = lines[lines.index("Not ruled out by the footers that were read; --footers 3 reads all:") + 1 :]
    assert [line for line in unread if line.startswith("  XTF-033")]
    assert not [line for line in lines if line.startswith("MAY MEET  XTF-033")]


def test_findings_that_hang_on_a_configuration_are_counted_apart(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(capsys, "partition_by_day", "--target", "delta")
    begins = next(n for n, line in enumerate(lines) if line.startswith("Not known without --config"))
    assert "XTF-070" in " ".join(lines[begins : begins + 3])
    assert [line for line in lines if line.startswith("M")] == ["MEETS  XTF-074  wrong results (UNSOUND)"]


BAD = {
    "a table of Delta": (
        ["--source", "delta:/lake/orders"],
        "what XTable makes of Delta tables as Delta is not registered",
    ),
    "an upgrade": (["--source", "hudi:/lake", "--since", "0.3"], "--since is of Iceberg metadata"),
}


@pytest.mark.parametrize("what", BAD)
@pytest.mark.parametrize("target", ["delta", "all"])
def test_what_the_register_cannot_answer_exits_4(what: str, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    options, said = BAD[what]
    assert run(["affected", *options, "--target", target]) == 4
    assert said in capsys.readouterr().err
