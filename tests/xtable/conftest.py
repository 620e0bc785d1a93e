"""Small tables for XTable to translate, taken from the recordings, so that no Spark is needed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.stack.jars import is_resolvable
from lab.stack.versions import release, releases
from xtable.replay import RECORDINGS, SOURCES
from xtable.sync import Translator


@pytest.fixture
def hudi_table(tmp_path: Path) -> Path:
    """A Hudi table of four months, one file each, on local disk."""
    return Path(shutil.copytree(RECORDINGS / SOURCES / "good_layout", tmp_path / "good_layout"))


@pytest.fixture(scope="session", params=[one.version for one in releases()])
def translator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Translator]:
    """Each known release, started once for all modules; skipped by name where it does not resolve."""
    wanted = release(request.param)
    if not is_resolvable(wanted):
        pytest.skip(f"XTable {wanted} is neither in the local Maven repository nor served")
    with Translator.start(wanted, None, tmp_path_factory.mktemp("logs")) as started:
        yield started
