"""Trino's archives, unpacked once a machine. The archives are small made-up ones of the real shape."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from lab.engines.trino.install import artifact_path, install_trino
from lab.stack.cache import Cache
from lab.stack.maven import Repositories
from lab.stack.versions import Trino
from xtable_audit.model.problem import Problem

WANTED = Trino("9", 25, ("io.trino:trino-server-core:9:tar.gz", "io.trino:trino-iceberg:9:zip"), "trinodb/trino:9")
SERVER, PLUGIN = map(artifact_path, WANTED.archives)


def write_archives(repository: Path) -> None:
    server, plugin = repository / SERVER, repository / PLUGIN
    for archive in (server, plugin):
        archive.parent.mkdir(parents=True)
    with tarfile.open(server, "w:gz") as tar:
        for name in ("lib/a.jar", "bin/launcher", "plugin/password-file/b.jar"):
            member = tarfile.TarInfo(f"trino-server-core-9/{name}")
            member.size = 3
            tar.addfile(member, io.BytesIO(b"abc"))
        link = tarfile.TarInfo("trino-server-core-9/lib/same.jar")
        link.type, link.linkname = tarfile.LNKTYPE, "trino-server-core-9/lib/a.jar"
        tar.addfile(link)
    with zipfile.ZipFile(plugin, "w") as bundle:
        bundle.writestr("trino-iceberg-9/c.jar", "abc")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def repositories(tmp_path: Path, mirror: str = "http://127.0.0.1:9") -> Repositories:
    return Repositories(tmp_path / "m2", tmp_path / "cache" / "maven", mirror)


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_the_core_is_unpacked_without_its_plugins_and_with_iceberg(tmp_path: Path, cache: Cache) -> None:
    write_archives(tmp_path / "m2")
    home = install_trino(WANTED, cache, lambda step: None, repositories(tmp_path))
    assert files(home) == {"lib/a.jar", "lib/same.jar", "bin/launcher", "plugin/iceberg/c.jar", "complete.json"}


@pytest.mark.parametrize(("place", "kept"), [("m2", True), ("cache/maven", False)], ids=["the user's", "the suite's"])
def test_only_archives_that_the_suite_downloaded_are_deleted(
    tmp_path: Path, cache: Cache, place: str, kept: bool
) -> None:
    write_archives(tmp_path / place)
    install_trino(WANTED, cache, lambda step: None, repositories(tmp_path))
    assert [(tmp_path / place / path).is_file() for path in (SERVER, PLUGIN)] == [kept, kept]


def test_what_is_installed_needs_no_archive_any_more(tmp_path: Path, cache: Cache) -> None:
    write_archives(tmp_path / "cache" / "maven")
    first, second = (install_trino(WANTED, cache, lambda step: None, repositories(tmp_path)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("archive", [SERVER, PLUGIN], ids=["server", "plugin"])
def test_a_damaged_archive_is_named_and_leaves_no_installation(
    tmp_path: Path, cache: Cache, archive: PurePosixPath
) -> None:
    write_archives(tmp_path / "m2")
    whole = (tmp_path / "m2" / archive).read_bytes()
    (tmp_path / "m2" / archive).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Problem, match=rf"{archive.name} is damaged or cut off .* Delete it and run again"):
        install_trino(WANTED, cache, lambda step: None, repositories(tmp_path))
    assert not [path for path in (tmp_path / "cache" / "trino").iterdir() if path.is_dir()]


def test_a_repository_that_cannot_be_reached_is_reported_in_a_sentence(tmp_path: Path, cache: Cache) -> None:
    with pytest.raises(Problem, match=r"could not be downloaded .* Check the network and run again"):
        install_trino(WANTED, cache, lambda step: None, repositories(tmp_path))
