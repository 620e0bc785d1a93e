"""docs/ci/upgrade.yml: the releases that a pull request changes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.stack.project import ROOT

POM = "<project><properties>\n  <xtable.version>{}</xtable.version>\n</properties></project>\n"
STEPS: list[dict[str, Any]] = yaml.safe_load((ROOT / "docs/ci/upgrade.yml").read_text())["jobs"]["gate"]["steps"]
[RELEASES] = [step for step in STEPS if step.get("id") == "releases"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose base uses 0.3.0."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "pom.xml").write_text(POM.format("0.3.0-incubating"))
    git(folder, "add", ".")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "base")
    return folder


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("new", ["0.4.0-incubating", "0.3.0-incubating"], ids=["another release", "the same"])
def test_it_finds_the_releases_before_and_after(repository: Path, tmp_path: Path, new: str) -> None:
    (repository / "pom.xml").write_text(POM.format(new))
    output = tmp_path / "output"
    environment = os.environ | {"BASE": "HEAD", "GITHUB_OUTPUT": str(output)}
    command = ["bash", "-e", "-o", "pipefail", "-c", RELEASES["run"]]
    subprocess.run(command, cwd=repository, env=environment, check=True)
    assert output.read_text().splitlines() == ["from=0.3.0-incubating", f"to={new}"]
