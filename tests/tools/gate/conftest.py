"""A stand-in for the audit: it writes the prepared audit.json, and logs its options."""

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
documents = json.loads(pathlib.Path(sys.argv[1]).read_text())
options = dict(word.partition("=")[::2] for word in sys.argv[2:])
name = "in place" if "--upgrade-from" in options else "to" if "to" in pathlib.Path(options["--out"]).name else "from"
with open(sys.argv[1] + ".log", "a") as log:
    log.write(json.dumps([name, *(word for word in sys.argv[2:] if not word.startswith("--out="))]) + "\\n")
if isinstance(documents[name], str):
    sys.exit(print(documents[name]) or 4)
latest = pathlib.Path(options["--out"]) / "latest"
latest.mkdir(parents=True)
(latest / "audit.json").write_text(documents[name]["document"])
"""


class Stub:
    """`command` is run in place of pytest. What a run says is its audit.json, or a text it ends with."""

    def __init__(self, folder: Path) -> None:
        self._documents = folder / "documents.json"
        (folder / "stub.py").write_text(STUB)
        self.command: Sequence[str] = (sys.executable, str(folder / "stub.py"), str(self._documents))

    def write(self, before: Any, after: Any, in_place: Any) -> None:
        documents = {"from": before, "to": after, "in place": in_place}
        written = {
            name: {"document": one.to_json()} if isinstance(one, Document) else one for name, one in documents.items()
        }
        self._documents.write_text(json.dumps(written))

    @property
    def requested_options(self) -> list[list[str]]:
        """A row a run: its name, then the options it was given, but for where to write."""
        log = Path(f"{self._documents}.log")
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


@pytest.fixture
def stub(tmp_path: Path) -> Stub:
    return Stub(tmp_path)


@pytest.fixture(autouse=True)
def _every_release_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every release resolves, and Spark can start, except in tests that say otherwise."""
    monkeypatch.setattr("tools.gate.upgrade.check_resolvable", lambda one: None)
    monkeypatch.setattr("tools.gate.upgrade.resolve_xtable_jars", lambda one: ())
    monkeypatch.setattr("tools.gate.__main__.find_spark", lambda cache: None)


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
