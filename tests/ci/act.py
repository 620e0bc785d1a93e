"""act runs GitHub's workflows on this machine itself. Actions that it would fetch are stand-ins, in stand_ins/."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lab.stack.project import ROOT
from tests.emulators.programs import program

STAND_INS = Path(__file__).with_name("stand_ins")
USES = re.compile(r"uses: (([\w-]+/[\w-]+)\S*?@[0-9a-f]{40})")
MINUTES = 10
HOST = "ubuntu-24.04=-self-hosted"


PYTHON = """#!/bin/sh
"{python}" "$@" || exit
[ "$1 $2" = "-m venv" ] || exit 0
echo "{packages}" > "$3/lib/{version}/site-packages/of-this-machine.pth"
ln -sf "{programs}/pytest" "$3/bin/"
"""
"""The stand-in of what actions/setup-python sets up: a venv that it makes has the packages of this one, and pytest."""


@dataclass(frozen=True)
class Ran:
    """What act kept of a workflow: its exit status, its log, and the folder of what was uploaded."""

    status: int
    log: list[dict[str, Any]]
    kept: Path

    def _of(self, command: str) -> list[dict[str, Any]]:
        return [line for line in self.log if line.get("command") == command]

    @property
    def outputs(self) -> dict[str, str]:
        """Of all steps; the last one goes before those of the same name."""
        return {line["name"]: line["arg"] for line in self._of("set-output")}

    @property
    def summary(self) -> str:
        return "".join(line["content"] for line in self._of("summary"))

    @property
    def annotations(self) -> list[dict[str, Any]]:
        """Errors: `kvPairs` has title, file and line, `arg` the words."""
        return self._of("error")

    @property
    def uses(self) -> list[str]:
        """`success` or `failure` of each step that uses the action."""
        ended = [line for line in self.log if line.get("stage") == "Main" and "stepResult" in line]
        return [line["stepResult"] for line in ended if line["step"] == "./xtable-audit" and len(line["stepID"]) == 1]

    @property
    def exits(self) -> list[str]:
        """`exit status 6` of each step of the job that failed."""
        ended = [line for line in self.log if line["level"] == "error" and line["msg"].startswith("exit status ")]
        return [line["msg"] for line in ended if len(line["stepID"]) == 1]

    @property
    def text(self) -> str:
        """What the steps printed."""
        return "".join(line["msg"] for line in self.log if line.get("raw_output"))


@dataclass(frozen=True)
class Repository:
    """A user's repository, in which this project lies in xtable-audit/, here a link instead of a submodule."""

    folder: Path
    temp: Path

    @classmethod
    def made(cls, temp: Path, **files: str) -> Repository:
        folder = temp / "repository"
        folder.mkdir()
        (folder / "xtable-audit").symlink_to(ROOT)
        made = cls(folder, temp)
        made.git("init", "--quiet", "--initial-branch=main")
        made.git("remote", "add", "origin", "https://github.com/shop/pipelines")
        made.commit(**files)
        return made

    def git(self, *words: str) -> str:
        name = ("-c", "user.name=a", "-c", "user.email=a@b")
        ran = subprocess.run(["git", *name, *words], cwd=self.folder, check=True, capture_output=True, text=True)
        return ran.stdout.strip()

    def commit(self, **files: str) -> str:
        """The commit's hash, once these files are in it."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "a change")
        return self.git("rev-parse", "HEAD")

    def run(
        self, event: str, workflow: str, payload: dict[str, Any] | None = None, programs: Path | None = None
    ) -> Ran:
        """The workflow of the repository, at the commit that is checked out. `programs` go before those of the PATH."""
        act, number = program("act"), len(list(self.temp.glob("kept-*")))
        kept, posted = self.temp / f"kept-{number}", self.temp / f"event-{number}.json"
        kept.mkdir()
        posted.write_text(json.dumps(payload or {}))
        path = [*([str(programs)] if programs else []), str(self._python()), os.environ["PATH"]]
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "PYTEST_"))}
        options = [
            "--json",
            "--no-cache-server",
            "--use-new-action-cache",
            "--action-cache-path",
            str(self.temp / "act"),
        ]
        ran = subprocess.run(
            [act, event, "-W", workflow, "-e", str(posted), "-P", HOST, *options, *self._stand_ins(workflow)],
            cwd=self.folder,
            env=plain | {"PATH": os.pathsep.join(path), "KEPT": str(kept)},
            capture_output=True,
            text=True,
            timeout=MINUTES * 60,
            check=False,
        )
        lines = [line for line in ran.stdout.splitlines() if line.startswith("{")]
        return Ran(ran.returncode, [json.loads(line) for line in lines], kept)

    def _python(self) -> Path:
        folder = self.temp / "python"
        folder.mkdir(exist_ok=True)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        packages, programs = (sysconfig.get_path(name) for name in ("purelib", "scripts"))
        text = PYTHON.format(python=sys.executable, packages=packages, programs=programs, version=version)
        (folder / "python").write_text(text)
        (folder / "python").chmod(0o755)
        return folder

    def _stand_ins(self, workflow: str) -> list[str]:
        """act's options for each action; act checks the repository out by itself."""
        texts = (
            (self.folder / workflow).read_text(encoding="utf-8"),
            (ROOT / "action.yml").read_text(encoding="utf-8"),
        )
        used = {found for text in texts for found in USES.findall(text)}
        options = []
        for whole, repository in sorted(used):
            commit = whole.partition("@")[2]
            if repository != "actions/checkout":
                assert (STAND_INS / repository).is_dir(), f"no stand-in of {repository}"
                options += ["--local-repository", f"{repository}@{commit}={STAND_INS / repository}"]
        return options


CHECKOUT = "actions/checkout@d23441a48e516b6c34aea4fa41551a30e30af803"


def using(*steps: dict[str, str] | str, environment: Mapping[str, str] | None = None) -> str:
    """A workflow whose steps use the action with these inputs, or run this shell, whatever a former one exits with.

    `environment` is the job's.
    """
    used = [
        {"if": "always()", **({"run": one} if isinstance(one, str) else {"uses": "./xtable-audit", "with": one})}
        for one in steps
    ]
    job = {"runs-on": "ubuntu-24.04", "env": dict(environment or {}), "steps": [{"uses": CHECKOUT}, *used]}
    text: str = yaml.safe_dump({"on": {"push": {}}, "jobs": {"audit": job}})
    return text
