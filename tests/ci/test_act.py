"""action.yml in a runner: act runs it on this machine. What is held is what the runner kept of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.ci.act import Ran, Repository, using
from tests.local_maven import with_mirror
from tests.tables.orders import falsify
from tools.gate.maven_out_of_reach import WHAT_TO_DO

pytestmark = pytest.mark.slow
WORKFLOW = ".github/workflows/audit.yml"
KNOWN = {"xtable": "recorded", "readers": "none", "select": "types_long_strings_groups-xtable and contain"}
NOWHERE = "http://localhost:9"
BY_PIP = "let this runner reach pip's package index, or name one that it reaches as PIP_INDEX_URL in the job's env"
REPORTS = {"audit.json", "summary.md", "audit.sarif", "report.html"}


def run(temp: Path, *steps: dict[str, str] | str, **files: str) -> Ran:
    return Repository.made(temp, **{WORKFLOW: using(*steps), **files}).run("push", WORKFLOW)


def headings(ran: Ran) -> list[str]:
    return [line for line in ran.summary.splitlines() if line.startswith("## ")]


def results(artifact: Path) -> list[dict[str, Any]]:
    """Those of its SARIF."""
    found: list[dict[str, Any]] = json.loads((artifact / "audit.sarif").read_text())["runs"][0]["results"]
    return found


def test_an_audit_passes_and_one_whose_known_findings_count_fails(tmp_path: Path) -> None:
    """Both in one job, so that each use of the action has a report of its own."""
    ran = run(tmp_path, {**KNOWN, "artifact": "mild"}, {**KNOWN, "fail-on": "UNSOUND", "artifact": "strict"})
    assert (ran.status, ran.uses) == (1, ["success", "failure"]), ran.text
    assert (ran.outputs["verdict"], int(ran.outputs["findings"]) > 0) == ("KNOWN_DEFECTS", True)
    assert ["exit 0" in line for line in headings(ran)] == [True, False], ran.summary
    mild, strict = (ran.kept / name for name in ("mild", "strict"))
    assert {path.name for path in mild.iterdir()} & {path.name for path in strict.iterdir()} >= REPORTS
    assert (mild / "audit.json").read_text() != (strict / "audit.json").read_text()
    assert {one["baselineState"] for one in results(strict)} == {"unchanged"}


def test_what_cannot_run_fails_and_leaves_no_report(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        {"mode": "chekc"},
        {"xtable": "9.9.9", "readers": "none", "select": "good_layout"},
        {"mode": "gate", "from": "0.3.0-incubating", "to": "9.9.9", "readers": "none"},
    )
    assert (ran.status, ran.uses) == (1, ["failure"] * 3), ran.text
    assert [one["arg"] for one in ran.annotations] == ["mode is audit, gate or check, and not chekc"]
    assert ran.text.count("left no report") == 2, ran.text
    assert (ran.summary, list(ran.kept.iterdir())) == ("", [])
    assert {ran.outputs[name] for name in ("verdict", "findings", "report")} == {""}


def test_without_package_repositories_it_fails_with_6_and_says_what_to_do(
    tmp_path: Path, orders: tuple[str, Path]
) -> None:
    """A check lacks packages, by pip; a gate and an audit lack jars, by Maven, and the audit leaves a report."""
    home = tmp_path / "home"
    (home / ".m2").mkdir(parents=True)
    with_mirror(home / ".m2" / "settings.xml", f"{NOWHERE}/maven2")
    pip = {"PIP_INDEX_URL": f"{NOWHERE}/simple", "PIP_FIND_LINKS": "", "PIP_RETRIES": "0", "PIP_NO_CACHE_DIR": "1"}
    maven = {"HOME": str(home), "XTABLE_AUDIT_CACHE": str(tmp_path / "cache"), "MAVEN_REPO_LOCAL": str(tmp_path / "m2")}
    workflow = using(
        {"mode": "check", "table": orders[0]},
        {"mode": "gate", "from": "0.3.0-incubating", "to": "0.4.0-incubating", "readers": "none"},
        {"xtable": "0.4.0-incubating", "readers": "none", "select": "good_layout and contain"},
        environment=pip | maven,
    )
    ran = Repository.made(tmp_path, **{WORKFLOW: workflow}).run("push", WORKFLOW)
    assert (ran.uses, ran.exits) == (["failure"] * 3, ["exit status 6"] * 3), ran.text
    to_do = [one["arg"].partition(": ") for one in ran.annotations if one["kvPairs"].keys() == {"title"}]
    assert [one[2] for one in to_do] == [BY_PIP, WHAT_TO_DO, WHAT_TO_DO]
    assert ran.text.count("the gate left no report") == 1
    assert [line["arg"] for line in ran.log if line.get("name") == "verdict"] == ["", "", *["INCONCLUSIVE"] * 2]


def test_a_table_is_checked_by_the_installed_package(tmp_path: Path, orders: tuple[str, Path]) -> None:
    """First as it is, then with a data file that its bounds do not cover."""
    table, data_file = orders
    spoiled = tmp_path / "spoiled.parquet"
    shutil.copy(data_file, spoiled)
    falsify(spoiled)
    check = {"mode": "check", "table": table, "shown-at": "tables.yaml"}
    steps = ({**check, "artifact": "as it is"}, f"cp '{spoiled}' '{data_file}'", {**check, "artifact": "spoiled"})
    ran = run(tmp_path, *steps, **{"tables.yaml": f"a: 1\nb: {table}\n"})
    assert (ran.status, ran.uses) == (1, ["success", "failure"]), ran.text
    assert [line["arg"] for line in ran.log if line.get("name") == "verdict"] == ["CONFORMANT"] * 2 + ["FINDINGS"] * 2
    assert headings(ran)[0].startswith("## NOTHING FOUND")
    assert {(one["kvPairs"]["file"], one["kvPairs"]["line"]) for one in ran.annotations} == {("tables.yaml", "2")}
    assert results(ran.kept / "as it is") == []
    assert {one["baselineState"] for one in results(ran.kept / "spoiled")} == {"new"}
