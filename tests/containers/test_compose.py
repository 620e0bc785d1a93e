"""`docker compose up` of compose.yaml, from stand-ins of its images: a user's first and second run, on recordings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.stack.cache import Cache
from tests.containers.compose import Project
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
def project(docker_host: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Project]:
    """Its first `up` installs a gigabyte into a volume."""
    if not request.config.getoption("--every-table"):
        pytest.skip("Compose runs with --every-table")
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
