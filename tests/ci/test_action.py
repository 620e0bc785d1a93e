"""action.yml: each step's shell, run as GitHub would run it, and what is written about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.ci.conftest import ACTION, INPUT, STEPS, Runner
from tests.tables.orders import falsify
from tests.xtable_audit.report.documents import audit, hostile_run
from tests.xtable_audit.report.test_gate import FOUND, HELD, gate
from xtable_audit.report.document import Document
from xtable_audit.report.summary import summary

SHELL = [step for step in STEPS if "run" in step]


def step_id(step: dict[str, object]) -> str:
    return str(step["id"])


@pytest.mark.parametrize("step", SHELL, ids=step_id)
def test_no_input_is_part_of_a_script(step: dict[str, str]) -> None:
    assert "${{" not in step["run"]


@pytest.mark.parametrize("name", ACTION["inputs"])
def test_each_input_is_used(name: str) -> None:
    used = {found for step in STEPS for text in _texts(step) for found in INPUT.findall(text)}
    assert name in used


def _texts(step: dict[str, object]) -> list[str]:
    env, given = step.get("env", {}), step.get("with", {})
    assert isinstance(env, dict)
    assert isinstance(given, dict)
    return [str(text) for text in (*env.values(), *given.values())]


# the inputs


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"mode": "gate", "to": "0.4.0"}, "mode gate needs the input from"),
        ({"mode": "gate", "from": "0.3.0"}, "mode gate needs the input to"),
        ({"mode": "check"}, "mode check needs the input table"),
        ({"mode": "chekc"}, "mode is audit, gate or check, and not chekc"),
        ({"mode": "check", "table": "t", "extras": "glue,glew"}, "extras are glue, hive, gcs and adls"),
        ({"mode": "check", "table": "t", "extras": "glue,"}, "separated by commas, and not glue,"),
    ],
    ids=["a gate without from", "a gate without to", "no table", "an unknown mode", "an unknown extra", "a comma"],
)
def test_inputs_that_cannot_work_end_it_with_4(runner: Runner, inputs: dict[str, str], words: str) -> None:
    ran = runner.run("inputs", **inputs)
    assert (ran.returncode, words in ran.stdout) == (4, True)


@pytest.mark.parametrize("extras", ["", "glue", "glue,hive", "gcs, adls"])
def test_extras_that_are_known_pass(runner: Runner, extras: str) -> None:
    ran = runner.run("inputs", mode="check", table="t", extras=extras)
    assert (ran.returncode, ran.stdout) == (0, "")


def test_the_key_of_the_cache_names_the_releases(runner: Runner) -> None:
    ran = runner.run("inputs", mode="gate", **{"from": "0.3.0", "to": "a b"})
    assert (ran.returncode, ran.stderr) == (0, "")
    assert runner.outputs["key"].startswith("xtable-audit-gate-0.3.0-a_b-")


# what is installed


@pytest.mark.parametrize(
    ("inputs", "called"),
    [
        ({"mode": "audit"}, "make -C {action} .venv/.ready"),
        ({"mode": "gate"}, "make -C {action} .venv/.ready"),
        ({"mode": "check"}, "pip install --quiet {action}[report]"),
        ({"mode": "check", "source": "hudi:x"}, "pip install --quiet {action}[report,rows]"),
        ({"mode": "check", "extras": "glue, hive"}, "pip install --quiet {action}[report,glue,hive]"),
    ],
    ids=["an audit", "a gate", "a check", "a check with a source", "a check with extras"],
)
def test_it_installs_for(runner: Runner, tmp_path: Path, inputs: dict[str, str], called: str) -> None:
    programs = installers(runner, f'echo "$(basename "$0") $@" >> "{tmp_path}/called"')
    ran = replace(runner, first_on_path=programs).run("install", **inputs)
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr
    assert (tmp_path / "called").read_text().splitlines()[-1] == called.format(action=runner.action)


def installers(runner: Runner, does: str) -> Path:
    """The folder of stand-ins for `make` and `python`, with a stand-in for pip where the latter would make one."""
    programs, pip = runner.temp / "programs", runner.temp / "xtable-audit-venv" / "bin" / "pip"
    for program in (programs / "make", programs / "python", pip):
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{does}\n")
        program.chmod(0o755)
    return programs


@pytest.mark.parametrize("mode", ["audit", "gate", "check"])
def test_what_cannot_be_installed_ends_it_with_6_and_what_to_do(runner: Runner, mode: str) -> None:
    programs = installers(runner, '[ "$1 $2" = "-m venv" ]')
    ran = replace(runner, first_on_path=programs).run("install", mode=mode)
    [annotation] = ran.stdout.splitlines()
    assert (ran.returncode, annotation.partition(" as the")[0]) == (6, LACKS.format(mode))
    assert annotation.endswith("or name one that it reaches as PIP_INDEX_URL in the job's env")
    assert (runner.outputs, runner.summary) == ({}, "")


LACKS = "::error title=XTable audit::what mode {} needs is not installed,"


# one table


def test_a_healthy_table_passes(checking: Runner, orders: tuple[str, Path]) -> None:
    ran = checking.run("run", mode="check", table=orders[0])
    told = checking.run("report", mode="check")
    assert (ran.returncode, told.returncode) == (0, 0), ran.stderr + told.stderr
    assert (checking.outputs["verdict"], checking.outputs["findings"]) == ("CONFORMANT", "0")
    assert checking.summary.startswith("## NOTHING FOUND")


def test_a_table_that_lies_fails_and_is_reported(checking: Runner, orders: tuple[str, Path]) -> None:
    location, data_file = orders
    falsify(data_file)
    (checking.workspace / "tables.yaml").write_text(f"a: 1\nb: {location}\n")
    ran = checking.run("run", mode="check", table=location)
    told = checking.run("report", mode="check", shown_at="tables.yaml")
    folder = Path(checking.outputs["report"])
    assert (ran.returncode, told.returncode) == (1, 0), ran.stderr + told.stderr
    assert "::error file=tables.yaml,line=2,title=" in told.stdout
    assert checking.outputs["verdict"] == "FINDINGS"
    assert {path.name for path in folder.iterdir()} >= {"audit.json", "summary.md", "audit.sarif"}


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"accept": "XTF-012 XTF-026"}, ["--accept", "XTF-012", "--accept", "XTF-026"]),
        ({"metadata_only": "true"}, ["--metadata-only"]),
        ({"sample": "7"}, ["--sample", "7"]),
        ({"fail_on": "LOOSE"}, ["--fail-on", "LOOSE"]),
        ({"ignore": "known faults.toml"}, ["--ignore", "known faults.toml"]),
        ({"source": "hudi:s3://a b", "config": "x y"}, ["--source", "hudi:s3://a b", "--config", "x y"]),
    ],
    ids=["accepted findings", "metadata alone", "a sample", "a threshold", "an ignore file", "a source with blanks"],
)
def test_the_command_is_given(runner: Runner, inputs: dict[str, str], words: list[str]) -> None:
    program = runner.temp / "xtable-audit-venv" / "bin" / "xtable-audit"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    given = runner.run("run", mode="check", table="t", **inputs).stdout.splitlines()
    assert given == ["check", "t", "--yes", "--out", f"{runner.temp}/xtable-audit", *words]


def test_a_table_that_is_not_there_leaves_no_report_and_keeps_its_status(checking: Runner) -> None:
    ran = checking.run("run", mode="check", table=str(checking.workspace / "none"))
    told = checking.run("report", mode="check")
    assert (ran.returncode, told.returncode, told.stdout) == (4, 0, "the check left no report\n")


# an audit, and a gate


@pytest.mark.slow
def test_an_audit_is_run_and_reported(runner: Runner) -> None:
    ran = runner.run("run", xtable="recorded", select="good_layout and contain", readers="none")
    told = runner.run("report")
    assert (ran.returncode, told.returncode) == (0, 0), ran.stdout + told.stderr
    assert (runner.outputs["verdict"], runner.summary.startswith("## ")) == ("CONFORMANT", True)


def test_a_gate_to_a_release_that_does_not_exist_keeps_its_status(runner: Runner) -> None:
    ran = runner.run("run", mode="gate", **{"from": "0.3.0", "to": "nonsense"})
    told = runner.run("report", mode="gate")
    assert (ran.returncode, told.stdout) == (6, "the gate left no report\n")


@pytest.mark.parametrize("mode", ["gate", "audit"])
@pytest.mark.parametrize(("status", "asked"), [(0, False), (1, False), (4, False), (6, True)])
def test_mavens_repository_is_asked_for_the_reason_where_something_did_not_resolve(
    runner: Runner, tmp_path: Path, mode: str, status: int, asked: bool
) -> None:
    """The status stays the run's own."""
    programs = tmp_path / "action" / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("python", "pytest"):
        (programs / name).write_text(
            f'#!/bin/sh\n[ "$3" != gate.maven_out_of_reach ] || {{ echo asked; exit 0; }}; exit {status}\n'
        )
        (programs / name).chmod(0o755)
    ended = replace(runner, action=tmp_path / "action").run("run", mode=mode, **{"from": "0.3.0", "to": "0.4.0"})
    assert (ended.returncode, ended.stdout) == (status, "asked\n" if asked else "")


def test_a_gates_answer_is_its_verdict(runner: Runner) -> None:
    report = runner.temp / "xtable-audit" / "gate-20261123"
    report.mkdir(parents=True)
    answer = gate(HELD, FOUND, FOUND)
    (report / "gate.json").write_text(answer.to_json(), encoding="utf-8")
    (report / "summary.md").write_text("# the page\n")
    told = runner.run("report", mode="gate")
    assert told.returncode == 0, told.stderr
    assert runner.outputs == {"verdict": "do not upgrade", "findings": str(answer.failing), "report": str(report)}
    assert runner.summary == "# the page\n"


@pytest.mark.parametrize("written", [audit(), hostile_run()], ids=["an audit", "hostile names"])
def test_what_a_run_found_writes_no_outputs_of_its_own(runner: Runner, written: Document) -> None:
    folder = runner.temp / "xtable-audit" / "run"
    folder.mkdir(parents=True)
    (folder / "audit.json").write_text(written.to_json(), encoding="utf-8")
    (folder / "summary.md").write_text(summary(written), encoding="utf-8")
    assert runner.run("report").returncode == 0
    assert set(runner.outputs) == {"verdict", "findings", "report"}
