"""Packed recordings: the same tree gives the same bytes, and a broken archive is one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab.stack.cache import Cache
from xtable.archive import pack, unpacked
from xtable_audit.model.problem import Problem


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    for name, content in {"a/x.json": "{}", "a/p=a b/é.parquet": "PAR1", "provenance.json": "{}"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def test_what_was_packed_is_unpacked_under_the_archives_name(tree: Path, tmp_path: Path) -> None:
    pack(tree, tmp_path / "recordings" / "0.4.0.tar.xz")
    found = unpacked(tmp_path / "recordings", Cache(tmp_path / "cache")) / "0.4.0"
    names = {path.relative_to(found).as_posix() for path in found.rglob("*") if path.is_file()}
    assert names == {"a/x.json", "a/p=a b/é.parquet", "provenance.json"}


def test_the_same_tree_gives_the_same_archive(tree: Path, tmp_path: Path) -> None:
    pack(tree, tmp_path / "one.tar.xz")
    for path in tree.rglob("*"):
        os.utime(path, (1, 1))
    pack(tree, tmp_path / "other.tar.xz")
    assert (tmp_path / "one.tar.xz").read_bytes() == (tmp_path / "other.tar.xz").read_bytes()


def test_an_archive_cut_off_is_one_sentence(tree: Path, tmp_path: Path) -> None:
    archive = tmp_path / "recordings" / "0.4.0.tar.xz"
    pack(tree, archive)
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises(Problem, match=r"0\.4\.0\.tar\.xz cannot be unpacked .* Restore recordings/ with git"):
        unpacked(archive.parent, Cache(tmp_path / "cache"))


def test_no_archive_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="Nothing is recorded under"):
        unpacked(tmp_path, Cache(tmp_path / "cache"))
