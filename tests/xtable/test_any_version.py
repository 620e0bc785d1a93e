"""A version of XTable without a row in versions.toml translates a table: that it is installed is enough."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lab.stack.cache import Cache
from lab.stack.classpath import ClassPaths
from lab.stack.jars import check_resolvable, is_resolvable, resolve_xtable_jars
from lab.stack.maven_repositories import Repositories
from lab.stack.versions import release, releases
from tests.local_maven import with_own_folder
from xtable.sync import Translator

pytestmark = [pytest.mark.jvm, pytest.mark.slow]
OWN = "org/apache/xtable"
UNHEARD_OF = release("0.4.99-SNAPSHOT")


@pytest.fixture
def paths(tmp_path: Path) -> ClassPaths:
    """A local Maven repository with a copy of the newest known release under another version, and nothing else."""
    newest = releases()[0]
    if not is_resolvable(newest):
        pytest.skip(f"XTable {newest} is neither in the local Maven repository nor served")
    resolve_xtable_jars(newest)  # so that all its files are on this machine
    cache = Cache()
    here = Repositories.of_this_machine(cache.root)
    local = with_own_folder(here.installed, tmp_path / "m2", OWN)
    for base in (here.cached, here.installed):
        for path in (base / OWN).glob(f"*/{newest.version}/*"):
            if path.suffix in (".pom", ".jar"):
                install(path, local / OWN / path.parent.parent.name, newest.version)
    return ClassPaths(Cache(tmp_path / "cache"), Repositories(local, here.cached, here.settings))


def install(path: Path, artifact: Path, old: str) -> None:
    """Copies a pom or a jar of version `old` under the unheard-of one."""
    target = artifact / UNHEARD_OF.version / path.name.replace(old, UNHEARD_OF.version)
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".pom":
        target.write_text(path.read_text(encoding="utf-8").replace(old, UNHEARD_OF.version), encoding="utf-8")
    else:
        shutil.copy(path, target)


def test_a_version_that_is_installed_translates_a_table(tmp_path: Path, hudi_table: Path, paths: ClassPaths) -> None:
    check_resolvable(UNHEARD_OF, paths=paths)
    with Translator.start(UNHEARD_OF, None, tmp_path / "logs", paths=paths) as translator:
        done = translator.sync("HUDI", str(hudi_table), "good_layout", "pickup_month:VALUE")
    assert (done.release, bool(done.metadata_location)) == (UNHEARD_OF.version, True)


def test_its_core_is_the_installed_one(paths: ClassPaths) -> None:
    core = resolve_xtable_jars(UNHEARD_OF, paths=paths)[0]
    assert core.name == f"xtable-core_2.12-{UNHEARD_OF.version}.jar"
