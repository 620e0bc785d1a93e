"""A machine without a folder for temporary files, as a read-only container without /tmp."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.tables.orders import orders
from xtable_audit.cli.main import run

__all__ = ["orders"]


def test_the_check_could_not_judge(
    orders: tuple[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", list)
    assert run(["check", orders[0], "--yes", "--out", str(tmp_path / "out")]) == 6
    assert "No usable temporary directory" in capsys.readouterr().err
