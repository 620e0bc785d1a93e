"""A stand-in for the audit: it writes the audit.json it was told to, and remembers what it was asked."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from xtable_audit.report.document import Document

STUB = """
import json, os, pathlib, sys
told = json.loads(pathlib.Path(sys.argv[1]).read_text())
options = dict(word.partition("=")[::2] for word in sys.argv[2:])
name = "in place" if "--upgrade-from" in options else "to" if "to" in pathlib.Path(options["--out"]).name else "from"
with open(sys.argv[1] + ".asked", "a") as asked:
    asked.write(json.dumps([name, *(word for word in sys.argv[2:] if not word.startswith("--out="))]) + "\\n")
if isinstance(told[name], str):
    sys.exit(print(told[name]) or 4)
latest = pathlib.Path(options["--out"]) / "latest"
latest.mkdir(parents=True)
(latest / "audit.json").write_text(told[name]["document"])
"""


class Stub:
    """`command` is run in place of pytest. What a run says is its audit.json, or a text it ends with."""

    def __init__(self, folder: Path) -> None:
        self._told = folder / "told.json"
        (folder / "stub.py").write_text(STUB)
        self.command: Sequence[str] = (sys.executable, str(folder / "stub.py"), str(self._told))

    def say(self, before: Any, after: Any, in_place: Any) -> None:
        told = {"from": before, "to": after, "in place": in_place}
        said = {name: {"document": one.to_json()} if isinstance(one, Document) else one for name, one in told.items()}
        self._told.write_text(json.dumps(said))

    @property
    def asked(self) -> list[list[str]]:
        """A row a run: its name, then the options it was given, but for where to write."""
        told = Path(f"{self._told}.asked")
        return [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []


@pytest.fixture
def stub(tmp_path: Path) -> Stub:
    return Stub(tmp_path)


@pytest.fixture(autouse=True)
def _every_release_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether one can be had is no business of these tests, but of those that say otherwise."""
    monkeypatch.setattr("gate.asked.is_resolvable", lambda one: True)


MakeJar = Callable[[str], Path]


@pytest.fixture
def bundle(tmp_path: Path) -> MakeJar:
    """`bundle("0.6.0-SNAPSHOT")`: what looks like a bundled jar of that version."""

    def make(version: str) -> Path:
        jar = tmp_path / f"xtable-{version}-bundled.jar"
        with zipfile.ZipFile(jar, "w") as content:
            content.writestr("org/apache/xtable/utilities/RunSync.class", b"")
            path = "META-INF/maven/org.apache.xtable/xtable-core_2.12/pom.properties"
            content.writestr(path, f"version={version}\n")
        return jar

    return make
