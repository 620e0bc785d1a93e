"""Where jgo alone would differ from Maven, and how it downloads."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from lab.stack.classpath import ClassPaths
from lab.stack.download import fetch_reporting
from lab.stack.jars import resolve_jars
from lab.stack.maven import NotServed, Repositories
from tests.stack.conftest import FakeMaven, Server
from xtable_audit.model.problem import Problem

Paths = Callable[[], ClassPaths]
PATH = PurePosixPath("org/example/big/1.0/big-1.0.jar")


def rewrite(jar: Path, old: str, new: str) -> None:
    """Changes the pom beside a jar."""
    pom = jar.with_suffix(".pom")
    text = pom.read_text()
    assert old in text
    pom.write_text(text.replace(old, new))


def names(jars: tuple[Path, ...]) -> list[str]:
    return [jar.name for jar in jars]


@pytest.fixture
def repositories(tmp_path: Path, installed: FakeMaven, server: Server) -> Repositories:
    return Repositories(installed.root, tmp_path / "cache", mirror=server.url)


# Where jgo alone would differ from Maven.


def test_the_parents_version_is_filled_in(installed: Any, paths: Paths) -> None:
    installed.add("a:parent:7", packaging="pom")
    jar = installed.add("a:a:1", needs="b:b:${its.version}")
    installed.add("b:b:7")
    parent = "<parent><groupId>a</groupId><artifactId>parent</artifactId><version>7</version></parent>"
    properties = "<properties><its.version>${project.parent.version}</its.version></properties>"
    rewrite(jar, "<groupId>a</groupId><artifactId>a</artifactId>", f"{parent}{properties}<artifactId>a</artifactId>")
    assert names(resolve_jars(("a:a:1",), paths=paths())) == ["a-1.jar", "b-7.jar"]


def test_a_profile_for_an_unset_property_holds(installed: Any, paths: Paths) -> None:
    jar = installed.add("a:a:1")
    installed.add("b:b:2")
    needed = "<dependency><groupId>b</groupId><artifactId>b</artifactId><version>2</version></dependency>"
    activation = "<activation><property><name>!other</name></property></activation>"
    profile = f"<profile><id>it</id>{activation}<dependencies>{needed}</dependencies></profile>"
    rewrite(jar, "</project>", f"<profiles>{profile}</profiles></project>")
    assert names(resolve_jars(("a:a:1",), paths=paths())) == ["a-1.jar", "b-2.jar"]


def test_a_profile_for_a_set_property_does_not_hold(installed: Any, paths: Paths) -> None:
    jar = installed.add("a:a:1")
    needed = "<dependency><groupId>b</groupId><artifactId>b</artifactId><version>2</version></dependency>"
    activation = "<activation><property><name>other</name></property></activation>"
    profile = f"<profile><id>it</id>{activation}<dependencies>{needed}</dependencies></profile>"
    rewrite(jar, "</project>", f"<profiles>{profile}</profiles></project>")
    assert names(resolve_jars(("a:a:1",), paths=paths())) == ["a-1.jar"]


def test_a_pom_that_jgo_gives_up_on_is_an_error_and_not_a_shorter_class_path(installed: Any, paths: Paths) -> None:
    jar = installed.add("a:a:1", needs="b:b:2")
    rewrite(jar, "<version>2</version>", "")
    with pytest.raises(
        Problem, match=r"The class path would lack jars by jgo .*No version available for dependency b:b"
    ):
        resolve_jars(("a:a:1",), paths=paths())


def test_a_property_that_two_others_use_is_no_loop(installed: Any, paths: Paths) -> None:
    jar = installed.add("a:a:1", needs="b:b:2")
    one, other = "<one>${project.basedir}/x</one>", "<other>${one}:${project.basedir}</other>"
    rewrite(jar, "</project>", f"<properties>{one}{other}</properties></project>")
    installed.add("b:b:2")
    assert names(resolve_jars(("a:a:1",), paths=paths())) == ["a-1.jar", "b-2.jar"]


def test_a_property_that_leads_back_to_itself_is_an_error(installed: Any, paths: Paths) -> None:
    jar = installed.add("a:a:1", needs="b:b:${one}")
    rewrite(jar, "</project>", "<properties><one>${other}</one><other>${one}</other></properties></project>")
    with pytest.raises(Problem, match="Infinite reference loop for property 'one'"):
        resolve_jars(("a:a:1",), paths=paths())


def profile(version: str, activation: str) -> str:
    """A profile that sets the version of b."""
    properties = f"<properties><version.b>{version}</version.b></properties>"
    return f"<profile><id>{version}</id><activation>{activation}</activation>{properties}</profile>"


DEFAULT = "<activeByDefault>true</activeByDefault>"

PROFILES = {
    "alone is active": ("", "3"),
    "yields to one for this Java": (profile("4", "<jdk>[17,)</jdk>"), "4"),
    "stays beside one for another Java": (profile("4", "<jdk>[1,11)</jdk>"), "3"),
}


@pytest.mark.parametrize(("other", "version"), PROFILES.values(), ids=PROFILES.keys())
def test_a_profile_that_is_active_by_default(installed: Any, paths: Paths, other: str, version: str) -> None:
    jar = installed.add("a:a:1", needs="b:b:${version.b}")
    for one in ("3", "4"):
        installed.add(f"b:b:{one}")
    rewrite(jar, "</project>", f"<profiles>{profile('3', DEFAULT)}{other}</profiles></project>")
    assert names(resolve_jars(("a:a:1",), paths=paths())) == ["a-1.jar", f"b-{version}.jar"]


def test_each_megabyte_is_shown(remote: FakeMaven, repositories: Repositories) -> None:
    served = remote.add("org.example:big:1.0")
    served.write_bytes(b"x" * 2_500_000)
    served.with_name("big-1.0.jar.sha1").write_text(hashlib.sha1(served.read_bytes()).hexdigest())
    reported: list[str] = []
    assert fetch_reporting(repositories, PATH, "Big 1.0", reported.append).stat().st_size == 2_500_000
    assert reported == ["downloading Big 1.0, 1 of 2 MB", "downloading Big 1.0, 2 of 2 MB"]


def test_what_is_on_this_machine_is_not_requested(
    installed: FakeMaven, repositories: Repositories, server: Server
) -> None:
    here = installed.add("org.example:big:1.0")
    assert fetch_reporting(repositories, PATH, "Big 1.0", print) == here
    assert not server.requested


def test_an_artefact_missing_from_the_repository_is_reported(repositories: Repositories) -> None:
    with pytest.raises(NotServed, match=r"big-1\.0\.jar is not there"):
        fetch_reporting(repositories, PATH, "Big 1.0", print)
