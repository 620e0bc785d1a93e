"""The cache's promises, held against real processes and SIGKILL."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab.stack.cache import Cache, cache_root, key_of, write_atomically
from lab.stack.project import ROOT
from xtable_audit.model.problem import Problem

# Publishes `kind/key` under argv[1] with the content argv[2], and stops at the point argv[3] until it may go on.
BUILDER = """
import sys
from pathlib import Path
import lab.stack.cache as module

root, content, stop_at = sys.argv[1:]

def reached(point):
    print(point, flush=True)
    if point == stop_at:
        sys.stdin.readline()

def build(folder):
    (folder / "one").write_text(content)
    reached("half built")
    (folder / "two").write_text(content)
    reached("built")

rename, sync = Path.rename, module._sync_tree
module._sync_tree = lambda tree: (sync(tree), reached("sealed"))
Path.rename = lambda path, target: (rename(path, target), reached("renamed"))[0]
reached("asking")
print(module.Cache(Path(root)).publish("kind", "key", build), flush=True)
"""
POINTS = ("asking", "half built", "built", "sealed", "renamed")

Start = Callable[[str, str], "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a builder with that content and waits until it stands at that point."""
    builders = []

    def started(content: str, stop_at: str) -> subprocess.Popen[str]:
        builder = subprocess.Popen(
            [sys.executable, "-c", BUILDER, str(tmp_path), content, stop_at],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        builders.append(builder)
        assert builder.stdout is not None
        while stop_at and builder.stdout.readline().strip() != stop_at:
            assert builder.poll() is None
        return builder

    yield started
    for builder in builders:
        builder.kill()
        builder.communicate()


def content_of(entry: Path) -> list[str]:
    return [(entry / name).read_text() for name in ("one", "two")]


def build_new(folder: Path) -> None:
    for name in ("one", "two"):
        (folder / name).write_text("new")


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_builder_leaves_a_whole_entry_or_none(tmp_path: Path, start: Start, point: str) -> None:
    start("dead", point).kill()
    entry = Cache(tmp_path).lookup("kind", "key")
    assert entry is None if point != "renamed" else content_of(entry or tmp_path) == ["dead", "dead"]


@pytest.mark.parametrize("point", POINTS)
def test_after_a_killed_builder_the_next_one_gets_a_whole_entry(tmp_path: Path, start: Start, point: str) -> None:
    start("dead", point).kill()
    whose = "dead" if point == "renamed" else "new"
    assert content_of(Cache(tmp_path).publish("kind", "key", build_new)) == [whose, whose]


@pytest.mark.parametrize("point", POINTS)
def test_leftovers_of_a_killed_builder_are_swept(tmp_path: Path, start: Start, point: str) -> None:
    builder = start("dead", point)
    builder.kill()
    builder.wait()
    Cache(tmp_path).publish("kind", "another key", build_new)
    assert not list((tmp_path / "kind").glob("*.building-*"))


def test_a_working_builder_is_not_swept(tmp_path: Path, start: Start) -> None:
    start("alive", "half built")
    Cache(tmp_path).publish("kind", "another key", build_new)
    assert len(list((tmp_path / "kind").glob("*.building-*"))) == 1


def test_a_work_folder_is_in_the_cache_during_work_and_removed_afterwards(tmp_path: Path) -> None:
    with Cache(tmp_path).work_folder("kind") as folder:
        assert folder.is_relative_to(tmp_path / "kind")
    assert list((tmp_path / "kind").iterdir()) == []


def test_a_work_folder_is_removed_where_the_work_fails(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="no more"), Cache(tmp_path).work_folder("kind"):
        raise Problem("no more")
    assert list((tmp_path / "kind").iterdir()) == []


def test_entries_are_published_from_a_work_folder_that_stays_open(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    with cache.work_folder("kind") as folder:
        cache.publish("kind", "key", build_new)
        assert folder.is_dir()


def test_the_work_folder_of_a_killed_process_is_swept(tmp_path: Path) -> None:
    killed = "import os, sys, pathlib; from lab.stack.cache import Cache; root = pathlib.Path(sys.argv[1])\n"
    killed += "with Cache(root).work_folder('kind'): os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", killed, str(tmp_path)], cwd=ROOT, check=False)
    left = list((tmp_path / "kind").glob("*.building-*"))
    Cache(tmp_path).publish("kind", "another key", build_new)
    assert (len(left), list((tmp_path / "kind").glob("*.building-*"))) == (1, [])


def test_the_second_of_two_builders_waits_and_takes_the_firsts_result(tmp_path: Path, start: Start) -> None:
    first = start("first", "half built")
    second = start("second", "")
    first.communicate("go on\n")
    second.communicate()
    assert content_of(tmp_path / "kind" / "key") == ["first", "first"]


def test_the_second_of_two_builders_builds_nothing(tmp_path: Path, start: Start) -> None:
    first = start("first", "half built")
    second = start("second", "")
    first.communicate("go on\n")
    printed, _ = second.communicate()
    assert printed.split("\n") == ["asking", str(tmp_path / "kind" / "key"), ""]


def test_what_is_published_is_found_again(tmp_path: Path) -> None:
    entry = Cache(tmp_path).publish("kind", "key", build_new)
    assert Cache(tmp_path).lookup("kind", "key") == entry


def test_an_entry_keeps_the_facts_it_was_built_from(tmp_path: Path) -> None:
    Cache(tmp_path).publish("kind", "key", build_new, {"spark": "3.5.9"})
    assert Cache(tmp_path).facts("kind", "key")["facts"] == {"spark": "3.5.9"}


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "one").write_text("half")
        raise Problem("no disk")

    with pytest.raises(Problem, match="no disk"):
        Cache(tmp_path).publish("kind", "key", fail)
    assert not [path for path in (tmp_path / "kind").iterdir() if path.is_dir()]


def test_a_folder_without_its_seal_is_no_entry_and_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "kind" / "key").mkdir(parents=True)
    (tmp_path / "kind" / "key" / "one").write_text("unsealed")
    assert content_of(Cache(tmp_path).publish("kind", "key", build_new)) == ["new", "new"]


def test_a_key_does_not_depend_on_the_order_of_facts() -> None:
    assert key_of(a=1, b=[2, "é"]) == key_of(b=[2, "é"], a=1)


def test_a_key_changes_with_any_fact() -> None:
    assert key_of(a=1, b=2) != key_of(a=1, b=3)


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    write_atomically(tmp_path / "folder" / "file.json", json.dumps([1]).encode())
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["file.json"]


def test_a_file_is_for_the_readers_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "other.json").touch()
    write_atomically(tmp_path / "file.json", b"[]")
    assert (tmp_path / "file.json").stat().st_mode == (tmp_path / "other.json").stat().st_mode


@pytest.mark.parametrize(
    ("environ", "root"),
    [
        ({"XTABLE_AUDIT_CACHE": "/own", "XDG_CACHE_HOME": "/xdg"}, Path("/own")),
        ({"XDG_CACHE_HOME": "/xdg"}, Path("/xdg/xtable-audit")),
        ({}, Path.home() / ".cache" / "xtable-audit"),
    ],
    ids=["own", "xdg", "home"],
)
def test_the_cache_is_where_the_environment_says(environ: dict[str, str], root: Path) -> None:
    assert cache_root(environ) == root


def test_a_cache_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Problem, match=r"cannot be created .* Set XTABLE_AUDIT_CACHE"):
        Cache(tmp_path / "file" / "cache")
