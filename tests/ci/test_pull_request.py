"""A pull request, from the change of a release to its comment: docs/ci/upgrade.yml in a runner (act)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.stack.jars import is_resolvable
from lab.stack.project import ROOT
from lab.stack.versions import release
from tests.ci.act import Ran, Repository

pytestmark = [pytest.mark.slow, pytest.mark.jvm]
OLD, NEW = "0.3.0-incubating", "0.4.0-incubating"
POM = "<project><properties>\n  <xtable.version>{}</xtable.version>\n</properties></project>\n"
WORKFLOW = ".github/workflows/upgrade.yml"
PARTS = {"to: ${{ steps.releases.outputs.to }}\n": "select: history_upgrade_flat\n          readers: none\n"}
"""A table of its own, of all that a gate compares."""
GH = """#!/bin/sh
# A stand-in of gh: artifacts are in KEPT, where the comment goes.
case "$1 $2" in
    "run download") cp -r "$KEPT/$5"/* . ;;
    "pr comment") cp "$5" "$KEPT/comment-of-$3.md" ;;
esac
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    text = (ROOT / "docs/ci/upgrade.yml").read_text(encoding="utf-8")
    for line, more in PARTS.items():
        assert line in text
        text = text.replace(line, f"{line}          {more}")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "gh").write_text(GH)
    (programs / "gh").chmod(0o755)
    return Repository.made(tmp_path, **{"pom.xml": POM.format(OLD), WORKFLOW: text})


def pushed(repository: Repository, base: str, **files: str) -> Ran:
    """The pull request, once its branch has this commit."""
    head = repository.commit(**files)
    of = {"repo": {"full_name": "shop/pipelines"}}
    request: dict[str, Any] = {"number": 7, "base": {"sha": base, **of}, "head": {"sha": head, **of}}
    return repository.run("pull_request", WORKFLOW, {"pull_request": request}, programs=repository.temp / "programs")


def test_an_upgrade_is_refused_until_its_procedure_is_in_the_pull_request(repository: Repository) -> None:
    missing = [one for one in (OLD, NEW) if not is_resolvable(release(one))]
    if missing:
        pytest.skip(f"{', '.join(missing)} does not resolve")
    base = repository.git("rev-parse", "HEAD")
    refused = pushed(repository, base, **{"pom.xml": POM.format(NEW)})
    assert (refused.status, refused.uses) == (1, ["failure"]), refused.text
    assert refused.outputs["verdict"] == "upgrade, and drop the Iceberg metadata first"
    assert "**NO PROCEDURE: xtable-upgrade.md does not say how" in refused.summary
    assert "1 row lost or wrong, in 1 file of 1 table" in refused.summary
    assert (refused.kept / "comment-of-7.md").read_text().startswith(f"# XTable {OLD} to {NEW}")
    allowed = pushed(repository, base, **{"xtable-upgrade.md": f"To {NEW}: delete metadata/, then sync.\n"})
    assert (allowed.status, allowed.uses) == (0, ["success"]), allowed.text
    assert "what would be left behind does not count" in allowed.summary
