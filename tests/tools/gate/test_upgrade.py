"""What the gate refuses, in one sentence and before anything is run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lab.provision.plan import AFTER_SPARK
from lab.provision.targets import AFTER_STANDALONE
from lab.stack.jars import Unresolvable, check_resolvable
from lab.stack.versions import Release
from tests.tools.gate.conftest import MakeJar, Stub
from tests.xtable_audit.report.runs import claim, document
from tools.gate.__main__ import main
from tools.gate.upgrade import BY_COMMAND_LINE, FROM_KERNEL, TO_KERNEL, put_together, read_upgrade
from xtable_audit.model.problem import Problem

OLD, NEW = "0.3.0-incubating", "0.4.0-incubating"
BAD = {
    "no FROM": (["", NEW], "FROM is missing: make gate FROM="),
    "no TO": ([OLD, ""], "TO is missing: make gate FROM="),
    "no version as FROM": (
        ["../0.3.0", NEW],
        "FROM=../0.3.0: '../0.3.0' is no version of XTable. Give one as Maven has",
    ),
    "no version as TO": ([OLD, "[0.4,)"], "TO=[0.4,): '[0.4,)' is no version of XTable."),
    "one release twice": ([NEW, "0.4.0"], "FROM and TO are both 0.4.0-incubating"),
    "a downgrade": ([NEW, OLD], "TO=0.3.0-incubating is older than FROM=0.4.0-incubating"),
    "no such jar": ([NEW, "no.jar"], "TO=no.jar: there is no file no.jar. Give the path of the bundled jar"),
    "a jar as FROM": (["some.jar", NEW], "FROM=some.jar: name a release to upgrade from"),
    "another release in ARGS": ([OLD, NEW, "--xtable=0.2.0"], "ARGS holds --xtable=0.2.0: the gate sets it itself"),
    "no zone in ARGS": ([OLD, NEW, "--zone", "Nowhere"], "--zone 'Nowhere': there is no such time zone; name one such"),
    "no zone in ARGS, assigned": ([OLD, NEW, "--zone=Kolkata"], "--zone 'Kolkata': there is no such time zone; did"),
    "recorded translations in ARGS": (
        [OLD, NEW, "--translations=recorded"],
        "ARGS holds --translations=recorded: the gate sets it itself",
    ),
    "two targets in ARGS": ([OLD, NEW, "--target=all"], "ARGS holds --target all: a gate answers for one target"),
    "two writers of Delta": (
        [OLD, NEW, "--target=delta", "--delta-target-by=all"],
        "ARGS holds --delta-target-by all: a gate compares the tables of one writer",
    ),
    "a writer that FROM does not have": (
        [OLD, NEW, "--target", "delta", "--delta-target-by", "kernel"],
        "XTable 0.3.0-incubating does not write Delta by Delta Kernel",
    ),
    "Kernel after Standalone, of Iceberg": (
        [NEW, NEW, "--delta-target-by=kernel-after-standalone"],
        "ARGS holds --delta-target-by kernel-after-standalone: that is of Delta, add --target delta.",
    ),
    "Kernel after Standalone, to a release without Kernel": (
        ["0.2.0", OLD, "--target=delta", "--delta-target-by=kernel-after-standalone"],
        "XTable 0.3.0-incubating has no Delta Kernel; 0.4.0 is the first that does.",
    ),
    "Kernel after Spark, to a release without Kernel": (
        [OLD, OLD, "--delta-source-by=kernel-after-spark"],
        "XTable 0.3.0-incubating has no Delta Kernel; 0.4.0 is the first that does.",
    ),
    "Kernel after Standalone, over a part of the tables": (
        [NEW, NEW, "--target=delta", "--delta-target-by=kernel-after-standalone", "--standalone-tables=selected"],
        "ARGS holds --standalone-tables: this gate compares all tables, or those of -k. Leave it out.",
    ),
    "a folder in ARGS": ([OLD, NEW, "--out", "x"], "ARGS holds --out: the gate sets it itself"),
}


@pytest.mark.parametrize(("arguments", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_sentence_before_anything_is_run(
    stub: Stub, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main(arguments, stub.command) == 4
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n"), stub.requested_options) == ("", 1, [])
    assert printed.err.startswith(sentence)


def test_a_jar_that_is_none_is_refused(tmp_path: Path) -> None:
    jar = tmp_path / "cut.jar"
    jar.write_bytes(b"PK")
    with pytest.raises(Problem, match=r"^TO=.*cut\.jar is not a jar, or is cut off"):
        read_upgrade(NEW, str(jar))


def test_a_jar_is_no_kernel(bundle: MakeJar) -> None:
    options = ["--target=delta", "--delta-target-by=kernel-after-standalone"]
    with pytest.raises(Problem, match="XTable's command line cannot write Delta by Delta Kernel"):
        read_upgrade(NEW, str(bundle("0.5.0-SNAPSHOT")), options)


def test_a_jar_reads_by_no_kernel(bundle: MakeJar) -> None:
    with pytest.raises(Problem, match="XTable's command line reads Delta by Spark"):
        read_upgrade(NEW, str(bundle("0.5.0-SNAPSHOT")), ["--delta-source-by=kernel-after-spark"])


def test_a_jar_older_than_the_release_is_refused(bundle: MakeJar) -> None:
    with pytest.raises(Problem, match=r"TO=0\.3\.1-SNAPSHOT is older than FROM=0\.4\.0-incubating"):
        read_upgrade(NEW, str(bundle("0.3.1-SNAPSHOT")))


def test_recordings_are_refused_as_no_answer(stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([OLD, NEW, "-k", "history", "--recorded"], stub.command) == 6
    assert (capsys.readouterr().err.count("never answers a gate"), stub.requested_options) == (1, [])


NOWHERE = "<settings><mirrors><mirror><mirrorOf>*</mirrorOf><url>http://127.0.0.1:9</url></mirror></mirrors></settings>"
"""Nothing listens on the port."""


@pytest.mark.parametrize(("before", "to", "named"), [(OLD, "9.9.9", "9.9.9"), ("9.9.9-a", "9.9.9-b", "9.9.9-b")])
def test_a_version_that_does_not_exist_ends_the_gate_before_anything_is_run(
    stub: Stub,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    before: str,
    to: str,
    named: str,
) -> None:
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text(NOWHERE)
    nowhere = {"HOME": tmp_path, "MAVEN_REPO_LOCAL": tmp_path, "XTABLE_AUDIT_CACHE": tmp_path, "PATH": tmp_path}
    for name, folder in nowhere.items():
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setattr("tools.gate.upgrade.check_resolvable", check_resolvable)
    assert main([before, to], stub.command) == 6
    error = capsys.readouterr().err
    assert error.startswith(f"XTable {named} resolves neither from the local Maven repository nor online")
    assert (error.count("\n"), stub.requested_options) == (1, [])


@pytest.mark.parametrize("broken", [OLD, NEW])
def test_jars_that_cannot_be_put_together_end_the_gate_before_anything_is_run(
    stub: Stub, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def resolve(one: Release) -> None:
        if one.version == broken:
            raise Unresolvable(f"XTable {one} cannot be put together: a jar is not there.")

    monkeypatch.setattr("tools.gate.upgrade.resolve_xtable_jars", resolve)
    assert main([OLD, NEW], stub.command) == 6
    printed = capsys.readouterr().err
    assert (printed, stub.requested_options) == (f"XTable {broken} cannot be put together: a jar is not there.\n", [])


def test_a_jar_as_to_is_resolved_from_nowhere(bundle: MakeJar, monkeypatch: pytest.MonkeyPatch) -> None:
    resolved: list[str] = []
    monkeypatch.setattr("tools.gate.upgrade.resolve_xtable_jars", lambda one: resolved.append(one.version))
    put_together(read_upgrade(OLD, str(bundle("0.5.0-SNAPSHOT"))))
    assert resolved == [OLD]


@pytest.mark.parametrize("to", ["0.5.0-SNAPSHOT", "0.5.0-incubating", "main-SNAPSHOT"])
def test_any_version_may_be_let_in(to: str) -> None:
    upgrade = read_upgrade(NEW, to)
    assert upgrade.options_to == [f"--xtable={to}"]
    assert upgrade.notes == (
        f"The register has no entries for XTable {to}: it is judged by the claims alone, and against FROM.",
    )


@pytest.mark.parametrize("version", ["0.4.0-SNAPSHOT", "0.4.0-incubating-rc2", "0.4.0-incubating"])
def test_a_jar_of_the_release_itself_is_judged_by_its_entries(bundle: MakeJar, version: str) -> None:
    assert read_upgrade(NEW, str(bundle(version))).notes == (BY_COMMAND_LINE,)


def test_a_jar_of_an_unknown_release_is_judged_by_the_claims_alone(bundle: MakeJar) -> None:
    [_, note] = read_upgrade(NEW, str(bundle("0.6.0-incubating-rc1"))).notes
    assert note.startswith(
        "The register has no entries for XTable 0.6.0-incubating-rc1: it is judged by the claims alone"
    )


def test_a_jar_is_named_apart_from_the_release_of_its_number(bundle: MakeJar) -> None:
    assert (
        read_upgrade(OLD, str(bundle("0.4.0-SNAPSHOT"))).called == "0.4.0-SNAPSHOT (xtable-0.4.0-SNAPSHOT-bundled.jar)"
    )


def test_a_release_needs_no_notes() -> None:
    assert read_upgrade(OLD, NEW).notes == ()


@pytest.mark.parametrize("arguments", [["--zone=Asia/Kolkata"], ["-k", "history", "--zone", "Asia/Kolkata"]])
def test_another_zone_is_noted_and_reaches_each_run(arguments: list[str]) -> None:
    upgrade = read_upgrade(OLD, NEW, arguments)
    assert upgrade.notes == ("XTable runs in the time zone Asia/Kolkata; the tables are written in UTC.",)
    assert upgrade.arguments == tuple(arguments)


@pytest.mark.parametrize(
    ("before", "to", "writer"), [(OLD, NEW, "standalone"), (NEW, "0.5.0-SNAPSHOT", "kernel")], ids=["older", "newer"]
)
def test_each_run_to_delta_has_the_writer_that_both_releases_have(before: str, to: str, writer: str) -> None:
    upgrade = read_upgrade(before, to, ["--target", "delta"])
    assert (upgrade.target, upgrade.arguments) == ("delta", ("--target", "delta", f"--delta-target-by={writer}"))


@pytest.mark.parametrize(
    "given", [["--delta-target-by=kernel-after-standalone"], ["--delta-target-by", AFTER_STANDALONE]]
)
def test_from_standalone_to_kernel_each_run_has_its_own_writer(given: list[str]) -> None:
    upgrade = read_upgrade(NEW, NEW, ["--target=delta", *given, "-k", "history"])
    assert upgrade.arguments == ("--target=delta", "-k", "history", "--standalone-tables=all")
    writers = [options[-1] for options in (upgrade.options_from, upgrade.options_to, upgrade.options_in_place)]
    assert writers == [f"--delta-target-by={by}" for by in ("standalone", "kernel", AFTER_STANDALONE)]
    assert f"--upgrade-from={NEW}" in upgrade.options_in_place


def test_from_standalone_to_kernel_the_two_sides_are_called_by_their_writers() -> None:
    upgrade = read_upgrade(NEW, NEW, ["--target=delta", f"--delta-target-by={AFTER_STANDALONE}"])
    assert (upgrade.begun_with, upgrade.called) == (f"{NEW} by Delta Standalone", f"{NEW} by Delta Kernel")
    assert upgrade.notes == (TO_KERNEL.note,)


def test_from_spark_to_kernel_each_run_reads_delta_in_its_own_way() -> None:
    upgrade = read_upgrade(NEW, NEW, ["--delta-source-by", AFTER_SPARK, "-k", "delta_plain"])
    assert upgrade.arguments == ("-k", "delta_plain")
    readers = [options[-1] for options in (upgrade.options_from, upgrade.options_to, upgrade.options_in_place)]
    assert readers == [f"--delta-source-by={by}" for by in ("spark", "kernel", AFTER_SPARK)]
    assert (upgrade.begun_with, upgrade.notes) == (f"{NEW} reading Delta by Spark", (FROM_KERNEL.note,))


def test_from_spark_to_kernel_the_tables_alone_get_the_names_of_to() -> None:
    """`xtable` is in options and addresses, too."""
    options = f"--xtable={NEW} -k delta_plain --bucket=delta_plain-xtables"
    made = document(claim(table="delta_plain-xtable"), claim("finding", table="delta_plain-xtable"))
    upgrade = read_upgrade(NEW, NEW, ["--delta-source-by", AFTER_SPARK])
    named = upgrade.as_to_names(replace(made, run=replace(made.run, command=options)))
    assert {claim.table for claim in named.claims} == {"delta_plain-iceberg_by_kernel"}
    assert named.run.command == options
