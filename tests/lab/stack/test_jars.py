"""Class paths by the real Maven, over tiny repositories; `real_paths()` is a fresh start, with its disk for memory.

One run of Maven takes some three seconds, so that a test asks as little of it as its claim needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.stack.classpath import ClassPaths
from lab.stack.jars import (
    Unresolvable,
    check_resolvable,
    is_resolvable,
    resolve_jars,
    resolve_spark_jars,
    resolve_xtable_jars,
)
from lab.stack.maven_repositories import Repositories
from lab.stack.versions import Release, release, stack
from tests.lab.stack.conftest import FakeMaven, Server
from tests.local_maven import with_mirror
from xtable_audit.model.problem import Problem

Paths = Callable[[], ClassPaths]
RELEASE = release("0.3.0")
UNKNOWN = release("0.9.0-SNAPSHOT")


def names(jars: tuple[Path, ...]) -> list[str]:
    return [jar.name for jar in jars]


def add_xtable(maven: FakeMaven, release: Release = RELEASE) -> None:
    """XTable as the suite sees it: a parent that manages versions, and a core that leaves much `provided`."""
    hadoop, sdk = "3.4.1", release.aws_sdk
    managed = {
        **dict.fromkeys(release.provided, "3.3.2"),
        "org.apache.hudi:hudi-common": "0.14.0",
        "org.apache.hudi:hudi-java-client": "0.14.0",
        "org.apache.iceberg:iceberg-core": "1.4.2",
        "org.apache.iceberg:iceberg-api": "1.4.2",
        "io.delta:delta-core_2.12": "2.4.0",
        "org.apache.spark:spark-core_2.12": "3.4.2",
        "org.apache.spark:spark-sql_2.12": "3.4.2",
        "org.apache.hadoop:hadoop-common": hadoop,
    }
    for name, version in managed.items():
        maven.add(f"{name}:{version}")
    manages = " ".join(f"{name}:{version}:provided" for name, version in managed.items())
    sets = f"<hadoop.version>{hadoop}</hadoop.version>"
    maven.add(f"org.apache.xtable:xtable:{release.version}", manages=manages, packaging="pom", sets=sets)
    maven.add(f"org.apache.xtable:xtable-core_2.12:{release.version}", needs="org.apache.avro:avro:1.11.4")
    maven.add("org.apache.avro:avro:1.11.4")
    for coordinate in release.undeclared:
        maven.add(coordinate)
    maven.add(f"org.apache.hadoop:hadoop-client:{hadoop}")
    maven.add(f"org.apache.hadoop:hadoop-aws:{hadoop}", needs="software.amazon.awssdk:bundle:2.24.6")
    maven.add(f"org.apache.httpcomponents:httpclient:{release.http_client}")
    for module in ("s3", "s3-transfer-manager", "sts", "netty-nio-client"):
        maven.add(f"software.amazon.awssdk:{module}:{sdk}")
    maven.add(f"software.amazon.awssdk:apache-client:{sdk}")


def test_an_installed_release_is_put_together_without_any_network(
    installed: FakeMaven, server: Server, real_paths: Paths
) -> None:
    """The core first, what it leaves `provided` in its parent's versions, and no bundle of the SDK."""
    add_xtable(installed)
    jars = names(resolve_xtable_jars(RELEASE, paths=real_paths()))
    assert jars[0] == f"xtable-core_2.12-{RELEASE.version}.jar"
    assert {"iceberg-core-1.4.2.jar", "hadoop-client-3.4.1.jar", "avro-1.11.4.jar"} <= {*jars}
    assert not [name for name in jars if name.startswith("bundle")]
    assert server.requested == []


def test_a_jar_that_the_releases_row_leaves_out_is_not_sought(installed: FakeMaven, real_paths: Paths) -> None:
    """However deep it is: here a dependency of the core's own."""
    add_xtable(installed)
    installed.add("org.apache.avro:avro:1.11.4", needs="a:nowhere:1")
    with pytest.raises(Unresolvable, match=r"cannot be put together: .*a:nowhere:jar:1"):
        resolve_xtable_jars(RELEASE, paths=real_paths())
    without = replace(RELEASE, without=("a:nowhere",))
    assert "avro-1.11.4.jar" in names(resolve_xtable_jars(without, paths=real_paths()))
    assert without.without_in_words == "XTable 0.3.0-incubating runs without a:nowhere, by its row in versions.toml."


def test_a_version_without_a_row_is_put_together_as_the_newest_is(installed: FakeMaven, real_paths: Paths) -> None:
    add_xtable(installed, UNKNOWN)
    check_resolvable(UNKNOWN, paths=real_paths())
    jars = names(resolve_xtable_jars(UNKNOWN, paths=real_paths()))
    assert jars[0] == "xtable-core_2.12-0.9.0-SNAPSHOT.jar"
    assert {"jol-core-0.16.jar", "delta-kernel-api-3.3.2.jar"} <= {*jars}


def test_a_release_installed_after_it_was_downloaded_is_preferred(
    installed: FakeMaven, remote: FakeMaven, real_paths: Paths
) -> None:
    add_xtable(remote)
    downloaded = resolve_xtable_jars(RELEASE, paths=real_paths())[0]
    assert downloaded.is_relative_to(real_paths().repositories.cached)
    add_xtable(installed)
    assert resolve_xtable_jars(RELEASE, paths=real_paths())[0].is_relative_to(installed.root)


def test_a_release_that_does_not_resolve_is_one_sentence_with_a_way_out(real_paths: Paths) -> None:
    with pytest.raises(
        Unresolvable,
        match=r"^XTable 0\.3\.0-incubating cannot be put together: Maven: .*:xtable:.*: --xtable-jar=JAR, TO=JAR\.$",
    ):
        resolve_xtable_jars(RELEASE, paths=real_paths())


def test_sparks_bundles_come_without_what_their_poms_name(installed: FakeMaven, real_paths: Paths) -> None:
    """The modules of the SDK have the version that Hadoop's own parent names."""
    sets = "<aws-java-sdk.version>1.12.262</aws-java-sdk.version>"
    installed.add(f"org.apache.hadoop:hadoop-project:{stack().hadoop}", packaging="pom", sets=sets)
    for coordinate in stack().jars:
        needs = "com.amazonaws:aws-java-sdk-bundle:1.12.262" if ":hadoop-aws:" in coordinate else "some:thing:1"
        installed.add(coordinate, needs=needs)
    for module in ("core", "s3", "sts", "dynamodb"):
        installed.add(f"com.amazonaws:aws-java-sdk-{module}:1.12.262")
    assert len(resolve_spark_jars(stack(), paths=real_paths())) == len(stack().jars) + 4


def test_what_is_missing_is_downloaded_into_the_suites_own_copy(remote: FakeMaven, real_paths: Paths) -> None:
    size = remote.add("a:a:1", needs="b:b:2").stat().st_size
    remote.add("b:b:2")
    arrived: list[tuple[int, str]] = []
    jars = resolve_jars(("a:a:1",), lambda *so_far: arrived.append(so_far), paths=real_paths())
    cached = real_paths().repositories.cached
    assert jars == (cached / "a/a/1/a-1.jar", cached / "b/b/2/b-2.jar")
    assert {"a-1.jar", "b-2.jar"} <= {name for _, name in arrived}
    assert arrived[-1][0] >= size


def test_maven_takes_the_proxy_of_the_environment(
    remote: FakeMaven, server: Server, repositories: Repositories, real_paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_mirror(repositories.settings, "http://repository.invalid")
    monkeypatch.setenv("HTTP_PROXY", server.url)
    jar = remote.add("a:a:1")
    assert names(resolve_jars(("a:a:1",), paths=real_paths())) == [jar.name]


def test_the_installed_jar_is_used_in_place(installed: FakeMaven, remote: FakeMaven, real_paths: Paths) -> None:
    here = installed.add("a:a:1")
    remote.add("a:a:1")
    assert resolve_jars(("a:a:1",), paths=real_paths()) == (here,)


@pytest.mark.parametrize("how", ["cut off", "of another checksum"])
def test_a_damaged_download_is_refused_and_leaves_no_jar(
    remote: FakeMaven, server: Server, real_paths: Paths, how: str
) -> None:
    jar = remote.add("a:a:1")
    if how == "cut off":
        server.cut_off.add(jar.name)
    else:
        jar.with_name("a-1.jar.sha1").write_text("0" * 40)
    with pytest.raises(Problem, match=r"^Maven: .*a:a:jar:1"):
        resolve_jars(("a:a:1",), paths=real_paths())
    assert not list((real_paths().repositories.cached / "a/a/1").glob("*.jar"))


def test_a_pom_that_is_not_served_is_an_error_and_not_a_shorter_class_path(
    remote: FakeMaven, real_paths: Paths
) -> None:
    remote.add("a:a:1", needs="gone:gone:1")
    with pytest.raises(Problem, match=r"^Maven: .*gone:gone:"):
        resolve_jars(("a:a:1",), paths=real_paths())


def test_a_release_is_found_where_the_users_settings_say(
    tmp_path: Path, remote: FakeMaven, real_paths: Paths, repositories: Repositories
) -> None:
    """In a repository of their own, which only Maven reads; not by a version that it lacks."""
    own = FakeMaven(tmp_path / "own")
    add_xtable(own)
    repository = f"<repository><id>own</id><url>{own.root.as_uri()}</url></repository>"
    profile = f"<profile><id>own</id><repositories>{repository}</repositories></profile>"
    text = repositories.settings.read_text()
    text = text.replace(
        "</settings>",
        f"<profiles>{profile}</profiles><activeProfiles><activeProfile>own</activeProfile></activeProfiles></settings>",
    )
    repositories.settings.write_text(text)
    check_resolvable(RELEASE, paths=real_paths())
    with pytest.raises(Unresolvable, match=r"online, nor by Maven \(.*0\.9\.0-SNAPSHOT.*\): correct the version"):
        check_resolvable(UNKNOWN, paths=real_paths())


def test_a_release_that_is_nowhere_is_not_resolvable(paths: Paths) -> None:
    assert not is_resolvable(RELEASE, paths=paths())


def test_an_installed_release_is_resolvable(installed: FakeMaven, paths: Paths) -> None:
    add_xtable(installed)
    assert is_resolvable(RELEASE, paths=paths())


def test_a_served_release_is_resolvable(remote: FakeMaven, paths: Paths) -> None:
    add_xtable(remote)
    assert is_resolvable(RELEASE, paths=paths())


def test_without_a_network_a_release_is_not_resolvable(server: Server, paths: Paths) -> None:
    server.stop()
    assert not is_resolvable(RELEASE, paths=paths())


def test_a_version_that_is_nowhere_is_one_sentence_that_says_what_to_do(
    repositories: Repositories, server: Server, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without settings of the user's, Maven has no other repositories to ask."""
    monkeypatch.setattr(Repositories, "remote", server.url)
    repositories.settings.unlink()
    with pytest.raises(
        Unresolvable, match=r"^XTable 0\.9\.0-SNAPSHOT resolves neither .* nor online: correct the version .*$"
    ):
        check_resolvable(UNKNOWN, paths=paths())


def test_the_users_maven_settings_name_repository_and_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text(
        '<settings xmlns="urn:maven:settings"><localRepository>/elsewhere</localRepository>'
        "<mirrors><mirror><mirrorOf>*</mirrorOf><url>http://127.0.0.1:1/mirror/</url></mirror></mirrors></settings>"
    )
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    found = Repositories.of_this_machine(tmp_path, environ={})
    assert (found.installed, found.remote) == (Path("/elsewhere"), "http://127.0.0.1:1/mirror")
