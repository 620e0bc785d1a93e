"""A translation is cached for one build of a translator, not for its version alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab.provision.translators import Translators
from lab.store.tables import InStore
from lab.store.workspace import Workspace


def digest(jar: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> str:
    """Of a release of this one jar with this content."""
    jar.write_bytes(content)
    os.utime(jar, (1, 1))
    monkeypatch.setattr("lab.provision.translators.resolve_xtable_jars", lambda release, progress: (jar,))
    translators = Translators(None, InStore(Workspace(None, "", "", bucket="b")), jar.parent)
    return translators.digest("0.5.0-SNAPSHOT", lambda *_: None)


def test_two_builds_of_a_snapshot_have_two_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "xtable-core_2.12-0.5.0-SNAPSHOT.jar"
    assert digest(jar, b"one", monkeypatch) != digest(jar, b"two", monkeypatch)


def test_one_build_of_a_snapshot_has_one_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "xtable-core_2.12-0.5.0-SNAPSHOT.jar"
    assert digest(jar, b"one", monkeypatch) == digest(jar, b"one", monkeypatch)
