"""Compose, and what its service `audit` installs: a program from Go's module, and a wheel of each requirement."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.stack.cache import Cache, key_of
from lab.stack.project import ROOT
from tests.emulators.programs import MINUTES, Way, installed, run

PROGRAM, MODULE = "docker-compose", "github.com/docker/compose/v2@v2.40.3"
REQUIREMENTS = ROOT / "requirements.txt"
FILES = (ROOT / "compose.yaml", Path(__file__).with_name("compose.stand-ins.yaml"))


def docker_compose() -> Path:
    """From the PATH, else built into the cache. Raises Problem where it cannot be."""
    return Path(shutil.which(PROGRAM) or installed(PROGRAM, Way("go", _from_a_copy, "."), MODULE))


def _from_a_copy(module: str, folder: Path) -> None:
    """Of its source: `go install` refuses a module that replaces others."""
    source = Path(json.loads(run("go", "mod", "download", "-json", module))["Dir"])
    copy = folder / "source"
    shutil.copytree(source, copy)
    for path in (copy, *copy.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)  # Go's cache of modules is read-only
    run("go", "build", "-mod=mod", "-o", str(folder / PROGRAM), "./cmd", at=copy)
    shutil.rmtree(copy)


def wheels(cache: Cache) -> Path:
    """A folder with the wheels of requirements.txt, half a gigabyte. Raises Problem where pip has not all of them."""
    key = key_of(requirements=REQUIREMENTS.read_text(), python=sys.version_info[:2])
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--requirement", str(REQUIREMENTS), "--wheel-dir")

    def build(folder: Path) -> None:
        run(*pip, str(folder))
        folder.chmod(0o755)  # a container's account reads it

    return cache.publish("containers-wheels", key, build)


@dataclass(frozen=True)
class Project:
    """A user's checkout, which belongs to the account `owner`, and the environment of its `docker compose`."""

    folder: Path
    owner: int
    docker_compose: Path
    environment: Mapping[str, str]

    @classmethod
    def made(cls, folder: Path, owner: int, cache: Cache, docker_host: str) -> Project:
        names = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        for name in names:
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        for path in (folder, *folder.rglob("*")):
            os.chown(path, owner, owner)
        own = {"DOCKER_HOST": docker_host, "WHEELS": str(wheels(cache)), "AUDIT_UID": str(owner)}
        return cls(folder, owner, docker_compose(), os.environ | own)

    def run(self, *words: str, **environment: str) -> tuple[int, str]:
        """The exit status of `docker compose` with these words, and what it prints."""
        files = [part for path in FILES for part in ("--file", str(path))]
        ran = subprocess.run(
            [str(self.docker_compose), "--project-directory", str(self.folder), *files, *words],
            cwd=self.folder,
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=MINUTES * 60,
            check=False,
        )
        return ran.returncode, ran.stdout
