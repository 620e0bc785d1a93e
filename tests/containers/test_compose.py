"""`docker compose up`, from stand-ins of its images: two runs of compose.yaml, and a finding's reproduction."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.stack.cache import Cache
from lab.stack.project import ROOT
from tests.containers.compose import Project, docker_compose
from xtable_audit.model.problem import Problem

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("images"),
    pytest.mark.images("temurin", "minio", "postgres", "trino", "nessie"),
]
OWNER = 4321
"""An account that no image knows."""
READ = "good_layout and trino and month and (rows or listed or newest)"
KNOWN = "types_long_strings_groups-xtable and contain"
UP = ("up", "--build", "--exit-code-from", "audit", "audit")


@pytest.fixture
def project(docker_host: str, tmp_path: Path) -> Iterator[Project]:
    """Its first `up` installs a gigabyte into a volume."""
    try:
        made = Project.made(tmp_path / "suite", OWNER, Cache(), docker_host)
    except Problem as problem:
        pytest.skip(f"no Compose: {problem}")
    yield made
    status, text = made.run("down", "--volumes", "--remove-orphans")
    assert status == 0, text


def up(project: Project, tables: str, options: str = "") -> tuple[int, str]:
    return project.run(*UP, XTABLE="recorded", READERS="trino", ARGS=f"-k '{tables}' {options}")


def report(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((project.folder / "out" / "latest" / "audit.json").read_text())
    return found


def kept(document: dict[str, Any]) -> list[str]:
    """What the run took from earlier ones."""
    return [step["detail"] for step in document["steps"] if step["name"] == "kept"]


@pytest.mark.at_night
def test_a_run_keeps_its_exit_status_its_reports_and_its_cache(project: Project) -> None:
    """The second one has a known finding besides, which counts by `--fail-on`."""
    status, text = up(project, READ)
    assert status == 0, text
    document = report(project)
    planned = {row["table"]: (row["live"], row["readers"]["trino"]["planned"]) for row in document["selections"]}
    assert planned == {"good_layout-xtable": (4, 1), "good_layout-control": (4, 1)}
    assert "installing requirements.txt" in text
    owners = {path.stat().st_uid for path in (project.folder / "out").rglob("*")}
    assert owners == {OWNER}

    status, text = up(project, f"({READ}) or ({KNOWN})", "--fail-on UNSOUND")
    assert status == 1, text
    assert "installing requirements.txt" not in text
    assert kept(document) == []
    assert len(kept(report(project))) == 1


@pytest.mark.images("trino", "nessie")
def test_a_finding_of_trino_and_nessie_is_reproduced(environment: dict[str, str], tmp_path: Path) -> None:
    """By the compose.yaml that users get, with 10 where the fault is there."""
    plugins = tmp_path / "cli-plugins"
    plugins.mkdir()
    try:
        (plugins / "docker-compose").symlink_to(docker_compose())
    except Problem as problem:
        pytest.skip(f"no Compose: {problem}")
    ran = subprocess.run(
        [sys.executable, str(ROOT / "tools/reproduce/readers/XTF-002/check.py")],
        env={**environment, "DOCKER_CONFIG": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ran.returncode, "FAULT PRESENT: XTF-002" in ran.stdout) == (10, True), ran.stdout + ran.stderr
