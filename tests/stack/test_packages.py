"""Python packages for a process of its own, which pip installs into the cache."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from lab.stack.cache import Cache
from lab.stack.packages import installed
from xtable_audit.model.problem import Problem

METADATA = "Metadata-Version: 2.1\nName: lonely\nVersion: 1.0\nRequires-Dist: nowhere-to-be-found==9\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A package that asks for one that no registry has."""
    path = tmp_path / "lonely-1.0-py3-none-any.whl"
    info = "lonely-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as content:
        content.writestr("lonely.py", "answer = 42\n")
        content.writestr(f"{info}/METADATA", METADATA)
        content.writestr(f"{info}/WHEEL", WHEEL)
        content.writestr(f"{info}/RECORD", "")
    return path


def test_a_package_comes_without_what_it_depends_on(wheel: Path, tmp_path: Path) -> None:
    folder = installed("lonely", [str(wheel)], Cache(tmp_path / "cache"))
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import lonely; print(lonely.answer)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "42\n"


def test_it_is_installed_once(wheel: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    folder = installed("lonely", [str(wheel)], cache)
    wheel.unlink()
    assert installed("lonely", [str(wheel)], cache) == folder


def test_a_package_that_pip_does_not_find_is_one_sentence(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    with pytest.raises(Problem, match=r"`pip install .*nowhere\.whl` failed: "):
        installed("lonely", [str(tmp_path / "nowhere.whl")], cache)
    assert not [*(cache.root / "lonely").glob("*/complete.json")]
