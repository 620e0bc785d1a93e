"""Where jgo has no answer, the user's Maven is asked: a stand-in of it, and the real one where it is installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.stack.cache import Cache
from lab.stack.classpath import ClassPaths
from lab.stack.jars import Unresolvable, check_resolvable, is_resolvable, resolve_jars, resolve_xtable_jars
from lab.stack.maven import Repositories
from lab.stack.versions import release, releases
from tests.local_maven import with_own_folder
from tests.stack.conftest import FakeMaven
from xtable_audit.model.problem import Problem

STUB = """#!{python}
import os, pathlib, sys
folder = pathlib.Path(__file__).parent
with open(folder / "asked", "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
if (folder / "error").exists():
    print("[INFO] Scanning\\n[ERROR] " + (folder / "error").read_text() + " -> [Help 1]\\n[ERROR] To see more")
    sys.exit(1)
listed = [word.partition("=")[2] for word in sys.argv if word.startswith("-Dmdep.outputFile=")]
for file in listed:
    pathlib.Path(file).write_text((folder / "answer").read_text())
"""


class Stub:
    """An `mvn` that answers `jars`, or fails with the words of `error`. `asked` has a line a call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.program = folder / "mvn"
        self.program.write_text(STUB.format(python=sys.executable))
        self.program.chmod(0o755)

    def answers(self, *jars: Path) -> None:
        (self.folder / "answer").write_text(os.pathsep.join(map(str, jars)))

    def fails(self, words: str) -> None:
        (self.folder / "error").write_text(words)

    @property
    def asked(self) -> list[str]:
        log = self.folder / "asked"
        return log.read_text().splitlines() if log.exists() else []


@pytest.fixture
def stub(tmp_path: Path) -> Stub:
    return Stub(tmp_path / "bin")


Paths = Callable[..., ClassPaths]


@pytest.fixture
def with_mvn(tmp_path: Path, installed: Any, server: Any, stub: Stub) -> Paths:
    """A fresh start on a machine with Maven; with `configured=True` the user has settings."""

    def fresh(configured: bool = False) -> ClassPaths:
        cache = Cache(tmp_path / "cache")
        cached = cache.root / "maven"
        return ClassPaths(cache, Repositories(installed.root, cached, server.url, str(stub.program), configured))

    return fresh


def strange(maven: Any) -> tuple[Path, Path]:
    """Installs a:a:1, which needs b:b:2 in a way that Maven understands and jgo does not. The two jars."""
    jar = maven.add("a:a:1", needs="${project.parent.groupId}:b:2")
    maven.add("b:parent:7", packaging="pom")
    parent = "<parent><groupId>b</groupId><artifactId>parent</artifactId><version>7</version></parent>"
    pom = jar.with_suffix(".pom")
    pom.write_text(pom.read_text().replace("</modelVersion>", f"</modelVersion>{parent}"))
    return jar, maven.add("b:b:2")


def test_maven_answers_where_jgo_fails(installed: Any, with_mvn: Paths, stub: Stub) -> None:
    jars = strange(installed)
    stub.answers(*jars)
    assert resolve_jars(("a:a:1",), paths=with_mvn()) == jars


def test_maven_is_given_the_local_repository(installed: Any, with_mvn: Paths, stub: Stub) -> None:
    stub.answers(*strange(installed))
    resolve_jars(("a:a:1",), paths=with_mvn())
    [command] = stub.asked
    assert f"-Dmaven.repo.local={installed.root}" in command


def test_mavens_answer_is_remembered(installed: Any, with_mvn: Paths, stub: Stub) -> None:
    stub.answers(*strange(installed))
    for _ in range(2):
        resolve_jars(("a:a:1",), paths=with_mvn())
    assert len(stub.asked) == 1


def test_maven_is_not_asked_where_jgo_answers(installed: Any, with_mvn: Paths, stub: Stub) -> None:
    jar = installed.add("a:a:1")
    assert (resolve_jars(("a:a:1",), paths=with_mvn()), stub.asked) == ((jar,), [])


def test_what_maven_lists_is_checked_too(installed: Any, with_mvn: Paths, stub: Stub) -> None:
    jar, other = strange(installed)
    other.write_bytes(b"PK")
    stub.answers(jar, other)
    with pytest.raises(Problem, match=r"b-2\.jar is damaged or cut off"):
        resolve_jars(("a:a:1",), paths=with_mvn())


def test_without_maven_the_sentence_says_that_it_would_be_asked(installed: Any, paths: Paths) -> None:
    strange(installed)
    with pytest.raises(Problem, match=r"With Maven \(mvn\) installed, the suite asks it as well\.$"):
        resolve_jars(("a:a:1",), paths=paths())


def test_where_neither_resolves_both_are_quoted(installed: Any, with_mvn: Paths, stub: Stub) -> None:
    strange(installed)
    stub.fails("Could not find artifact b:b:jar:2")
    with pytest.raises(
        Problem, match=r"is not there\..* Maven \(mvn\) cannot either: Could not find artifact b:b:jar:2\.$"
    ):
        resolve_jars(("a:a:1",), paths=with_mvn())


def test_where_neither_puts_xtable_together_a_jar_is_the_way_out(with_mvn: Paths, stub: Stub) -> None:
    stub.fails("no")
    with pytest.raises(Unresolvable, match=r"^XTable 0\.9\.9 cannot be put together: .* --xtable-jar=JAR, TO=JAR\.$"):
        resolve_xtable_jars(release("0.9.9"), paths=with_mvn())


def test_a_release_that_only_maven_finds_resolves(with_mvn: Paths, stub: Stub) -> None:
    check_resolvable(release("0.9.9"), paths=with_mvn(configured=True))
    assert [command.partition("-Dartifact=")[2].split()[0] for command in stub.asked] == [
        "org.apache.xtable:xtable-core_2.12:0.9.9:pom",
        "org.apache.xtable:xtable:0.9.9:pom",
    ]


def test_a_release_that_maven_does_not_find_either_is_unresolvable(with_mvn: Paths, stub: Stub) -> None:
    stub.fails("Couldn't download artifact: xtable-core_2.12:pom:0.9.9 was not found")
    with pytest.raises(
        Unresolvable, match=r"online, nor by Maven \(Couldn't download artifact: .*\): correct the version"
    ):
        check_resolvable(release("0.9.9"), paths=with_mvn(configured=True))


def test_without_settings_maven_has_no_other_repositories_to_ask(with_mvn: Paths, stub: Stub) -> None:
    with pytest.raises(Unresolvable):
        check_resolvable(release("0.9.9"), paths=with_mvn())
    assert stub.asked == []


@pytest.fixture
def machine(tmp_path: Path) -> Repositories:
    """This machine's repositories; skips by name where there is no Maven."""
    found = Repositories.of_this_machine(tmp_path / "cache")
    if not found.mvn:
        pytest.skip("Maven (mvn) is not installed: what it resolves where jgo fails is not tried")
    return found


def needs_plugin(problem: Problem) -> None:
    """Skips where Maven cannot load the plugin that lists class paths."""
    if "maven-dependency-plugin" in str(problem).partition("Maven (mvn) cannot either")[2]:
        pytest.skip(f"Maven cannot load its dependency plugin here: {problem}")


@pytest.mark.slow
def test_the_real_maven_answers_where_jgo_fails(tmp_path: Path, machine: Repositories) -> None:
    local = with_own_folder(machine.installed, tmp_path / "m2", "a")
    (local / "b").mkdir()
    jars = strange(FakeMaven(local))
    cache = Cache(tmp_path / "cache")
    repositories = Repositories(local, cache.root / "maven", machine.mirror, machine.mvn)
    try:
        assert resolve_jars(("a:a:1",), paths=ClassPaths(cache, repositories)) == jars
    except Problem as problem:
        needs_plugin(problem)
        raise


@pytest.mark.slow
@pytest.mark.parametrize("version", [one.version for one in releases()])
def test_jgo_and_the_real_maven_list_the_same_jars(
    tmp_path: Path, machine: Repositories, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_resolvable(release(version), paths=ClassPaths(Cache(tmp_path / "cache"), machine)):
        pytest.skip(f"XTable {version} is neither in the local Maven repository nor served")
    by_jgo = resolve_xtable_jars(release(version))
    monkeypatch.setattr("lab.stack.poms.Poms.jars", fails)
    try:
        by_maven = resolve_xtable_jars(release(version), paths=ClassPaths(Cache(tmp_path / "cache"), machine))
    except Problem as problem:
        needs_plugin(problem)
        raise
    assert {jar.name for jar in by_jgo} == {jar.name for jar in by_maven}


def fails(poms: object, pom: str) -> None:
    raise Problem("jgo is not asked.")
